/* A game of Tetris on a matrix of 16x16 WS2812 LEDs whose rows run to and fro.
 *
 * Library: FastLED (install it in the Arduino IDE). Beside this file: tetris_player.h and game.h.
 * The board may be higher than the matrix, which shows its lowest rows:
 *
 *     tetrisprinter print heart.png --board 16x22 -o game.h
 *
 * Wiring: DIN of the matrix through a resistor of 330 ohms to pin 5, GND to GND of the board, 5 V to
 * a supply of its own (256 LEDs at this brightness take about 2 A). Connect the grounds.
 */
#include <FastLED.h>
#include "tetris_player.h"
#include "game.h"

static const int MATRIX_WIDTH = 16, MATRIX_HEIGHT = 16, DATA_PIN = 5;
static_assert(GAME_WIDTH <= MATRIX_WIDTH, "the board is too wide");

static CRGB leds[MATRIX_WIDTH * MATRIX_HEIGHT];
static uint8_t board[GAME_WIDTH * GAME_HEIGHT];
static tetris_player player;

/* The number of the LED in a column of a row; row 0 is the lowest one. */
static int led_at(int x, int y) {
    int row = MATRIX_HEIGHT - 1 - y;
    return row * MATRIX_WIDTH + (row % 2 ? MATRIX_WIDTH - 1 - x : x);
}

void setup() {
    FastLED.addLeds<WS2812B, DATA_PIN, GRB>(leds, MATRIX_WIDTH * MATRIX_HEIGHT);
    FastLED.setBrightness(40);
    tetris_begin(&player, &game, board, 1);
}

void loop() {
    uint8_t event = tetris_tick(&player);
    for (int y = 0; y < MATRIX_HEIGHT && y < GAME_HEIGHT; y++)
        for (int x = 0; x < GAME_WIDTH; x++) {
            uint16_t color = tetris_color(&player, x, y);
            leds[led_at(x, y)] =
                CRGB(color >> 11 << 3, (color >> 5 & 63) << 2, (color & 31) << 3);
        }
    FastLED.show();
    if (event == TETRIS_END) {
        delay(10000);
        tetris_begin(&player, &game, board, 1);
    } else {
        delay(event == TETRIS_STOP ? 3000 : event == TETRIS_FLASH ? 120 : 30);
    }
}
