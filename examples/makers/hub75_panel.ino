/* A game of Tetris on a 64x32 HUB75 panel, driven by an ESP32.
 *
 * Library: "ESP32 HUB75 LED MATRIX PANEL DMA Display" (install it in the Arduino IDE).
 * Beside this file: tetris_player.h, and a game of at most 64 columns and 32 rows:
 *
 *     tetrisprinter print heart.png --board 20x31 -o game.h
 *
 * Wiring with the library's usual pins of the ESP32: R1 to 25, G1 to 26, B1 to 27, R2 to 14, G2 to
 * 12, B2 to 13, A to 23, B to 19, C to 5, D to 17, LAT to 4, OE to 15, CLK to 16, and both GND pins
 * of the connector to GND. The panel has its own supply of 5 V and up to 4 A; connect the grounds.
 */
#include <ESP32-HUB75-MatrixPanel-I2S-DMA.h>
#include "tetris_player.h"
#include "game.h"

static const int PANEL_WIDTH = 64, PANEL_HEIGHT = 32;
static_assert(GAME_WIDTH <= PANEL_WIDTH && GAME_HEIGHT <= PANEL_HEIGHT, "the board is too large");

static MatrixPanel_I2S_DMA *panel;
static uint8_t board[GAME_WIDTH * GAME_HEIGHT];
static tetris_player player;

void setup() {
    panel = new MatrixPanel_I2S_DMA(HUB75_I2S_CFG(PANEL_WIDTH, PANEL_HEIGHT, 1));
    panel->begin();
    panel->setBrightness8(90);
    panel->fillScreen(0);
    tetris_begin(&player, &game, board, 2);
}

void loop() {
    uint8_t event = tetris_tick(&player);
    const int left = (PANEL_WIDTH - GAME_WIDTH) / 2;
    for (int y = 0; y < GAME_HEIGHT; y++)
        for (int x = 0; x < GAME_WIDTH; x++)
            panel->drawPixel(left + x, PANEL_HEIGHT - 1 - y, tetris_color(&player, x, y));
    if (event == TETRIS_END) {
        delay(10000);
        tetris_begin(&player, &game, board, 2);
    } else {
        delay(event == TETRIS_STOP ? 3000 : event == TETRIS_FLASH ? 120 : 30);
    }
}
