/* A player for the games that tetrisprinter writes as C headers (-o game.h), without heap, floats
 * and libraries. Include it before the game:
 *
 *     #include "tetris_player.h"
 *     #include "owl.h"
 *
 *     static uint8_t board[OWL_WIDTH * OWL_HEIGHT];   // a byte for each square
 *     static tetris_player player;
 *
 *     tetris_begin(&player, &owl, board, 2);          // pieces fall two rows a tick
 *     for (;;) {
 *         uint8_t event = tetris_tick(&player);
 *         ... draw tetris_color(&player, x, y) for each square; y counts from the floor ...
 *         ... wait for some milliseconds, longer if event is TETRIS_STOP or TETRIS_END ...
 *     }
 *
 * On AVR, define before the first include where constants live and how they are read:
 *
 *     #define TETRIS_CONST const PROGMEM
 *     #define TETRIS_READ8(p) pgm_read_byte(p)
 *     #define TETRIS_READ16(p) pgm_read_word(p)
 */
#ifndef TETRIS_PLAYER_H
#define TETRIS_PLAYER_H

#include <stdint.h>

#ifndef TETRIS_CONST
#define TETRIS_CONST const
#endif
#ifndef TETRIS_READ8
#define TETRIS_READ8(p) (*(p))
#endif
#ifndef TETRIS_READ16
#define TETRIS_READ16(p) (*(p))
#endif

typedef struct {
    uint16_t width, height; /* of the board, in squares */
    uint16_t start_rows;    /* rows that have squares before the first drop */
    uint16_t visible;       /* bit n: squares of the value n are visible in a complete picture */
    uint32_t drops;
    const uint16_t *drop;   /* bit 15: stop, bits 10 to 14: orientation, bits 0 to 9: column */
    const uint8_t *start;   /* the squares of the start, the lowest row first */
    const uint16_t *colors; /* RGB565 for each value of a square */
} tetris_game;

/* What a tick did. The board shows it; every value is a frame of the film. */
enum {
    TETRIS_FALL,  /* a piece appeared, or it fell */
    TETRIS_LOCK,  /* the piece came to rest */
    TETRIS_FLASH, /* full rows have the value TETRIS_FLASHING */
    TETRIS_CLEAR, /* these rows vanished */
    TETRIS_STOP,  /* a picture is complete: show it for a while */
    TETRIS_END    /* the last picture is complete; tetris_begin starts again */
};
enum { TETRIS_FLASHING = 9 };

/* Values of squares: 0 empty, 1 to 7 the types I J L O S T Z, 8 grey, 9 flashing. */
typedef struct {
    const tetris_game *game;
    uint8_t *board; /* width * height squares, the lowest row first */
    uint32_t next;  /* drops made or begun */
    uint16_t drop, x, y;
    uint8_t rows_per_tick, state, is_complete;
} tetris_player;

enum { TETRIS_READY_, TETRIS_FALLING_, TETRIS_LOCKED_, TETRIS_FLASHING_, TETRIS_CLEARED_ };

/* For each orientation its four cells, four bits each: x in the lower two, y in the upper two. */
static TETRIS_CONST uint16_t tetris_shapes[19] = {
    0x3210, 0xC840, 0x6254, 0x9510, 0x2140, 0x9840, 0x6540, 0x9518, 0x6210, 0x1840,
    0x5140, 0x6510, 0x5184, 0x6514, 0x9514, 0x2510, 0x5840, 0x2514, 0x9540};
static TETRIS_CONST uint8_t tetris_types[19] = {1, 1, 2, 2, 2, 2, 3, 3, 3, 3,
                                                4, 5, 5, 6, 6, 6, 6, 7, 7};

static uint8_t *tetris_square_(const tetris_player *p, uint16_t x, uint16_t y) {
    return p->board + (uint32_t)y * p->game->width + x;
}

/* The colour of a square as RGB565; y counts from the floor. */
static uint16_t tetris_color(const tetris_player *p, uint16_t x, uint16_t y) {
    uint8_t value = *tetris_square_(p, x, y);
    if (p->is_complete && !(p->game->visible >> value & 1)) value = 0;
    return TETRIS_READ16(p->game->colors + value);
}

/* Begin a game. The board needs width * height bytes. rows_per_tick: 0 drops pieces at once. */
static void tetris_begin(tetris_player *p, const tetris_game *game, uint8_t *board,
                         uint8_t rows_per_tick) {
    uint32_t at, start = (uint32_t)game->start_rows * game->width;
    uint32_t all = (uint32_t)game->height * game->width;
    p->game = game;
    p->board = board;
    p->next = 0;
    p->drop = p->x = p->y = 0;
    p->rows_per_tick = rows_per_tick;
    p->state = TETRIS_READY_;
    p->is_complete = 0;
    for (at = 0; at < all; at++) board[at] = at < start ? TETRIS_READ8(game->start + at) : 0;
}

/* Write a value into the squares of the piece. */
static void tetris_draw_(tetris_player *p, uint8_t value) {
    uint16_t shape = TETRIS_READ16(tetris_shapes + (p->drop >> 10 & 31));
    uint8_t i;
    for (i = 0; i < 4; i++, shape >>= 4) {
        *tetris_square_(p, (uint16_t)(p->x + (shape & 3)), (uint16_t)(p->y + (shape >> 2 & 3))) =
            value;
    }
}

/* Whether the piece has room one row lower; it must not be drawn. */
static uint8_t tetris_can_fall_(const tetris_player *p) {
    uint16_t shape = TETRIS_READ16(tetris_shapes + (p->drop >> 10 & 31));
    uint8_t i;
    if (p->y == 0) return 0;
    for (i = 0; i < 4; i++, shape >>= 4) {
        if (*tetris_square_(p, (uint16_t)(p->x + (shape & 3)),
                            (uint16_t)(p->y - 1 + (shape >> 2 & 3)))) {
            return 0;
        }
    }
    return 1;
}

/* Let full rows flash; return whether there are any. */
static uint8_t tetris_flash_(tetris_player *p) {
    uint8_t found = 0;
    uint16_t x, y;
    for (y = p->y; y < p->y + 4 && y < p->game->height; y++) {
        for (x = 0; x < p->game->width && *tetris_square_(p, x, y); x++) {
        }
        if (x < p->game->width) continue;
        for (x = 0; x < p->game->width; x++) *tetris_square_(p, x, y) = TETRIS_FLASHING;
        found = 1;
    }
    return found;
}

/* Remove the rows that flash; the rows above them move down. */
static void tetris_clear_(tetris_player *p) {
    uint16_t x, y, to = p->y;
    for (y = p->y; y < p->game->height; y++) {
        if (*tetris_square_(p, 0, y) == TETRIS_FLASHING) continue;
        for (x = 0; x < p->game->width; x++) *tetris_square_(p, x, to) = *tetris_square_(p, x, y);
        to++;
    }
    for (; to < p->game->height; to++) {
        for (x = 0; x < p->game->width; x++) *tetris_square_(p, x, to) = 0;
    }
}

/* Do the next step of the game; the board then shows it. */
static uint8_t tetris_tick(tetris_player *p) {
    uint8_t can_fall, rows = p->rows_per_tick;
    uint16_t shape;
    switch (p->state) {
    case TETRIS_FALLING_:
        tetris_draw_(p, 0);
        while (tetris_can_fall_(p)) {
            p->y--;
            if (p->rows_per_tick && !--rows) break;
        }
        can_fall = tetris_can_fall_(p);
        tetris_draw_(p, TETRIS_READ8(tetris_types + (p->drop >> 10 & 31)));
        if (can_fall) return TETRIS_FALL;
        p->state = TETRIS_LOCKED_;
        return TETRIS_LOCK;
    case TETRIS_LOCKED_:
        if (tetris_flash_(p)) {
            p->state = TETRIS_FLASHING_;
            return TETRIS_FLASH;
        }
        break;
    case TETRIS_FLASHING_:
        tetris_clear_(p);
        p->state = TETRIS_CLEARED_;
        return TETRIS_CLEAR;
    }
    p->is_complete = p->next == p->game->drops || (p->state != TETRIS_READY_ && p->drop >> 15);
    if (p->is_complete) {
        p->state = TETRIS_READY_;
        return p->next == p->game->drops ? TETRIS_END : TETRIS_STOP;
    }
    /* The next piece appears below the upper edge of the board. */
    p->drop = TETRIS_READ16(p->game->drop + p->next);
    p->next++;
    p->x = p->drop & 1023;
    p->y = p->game->height;
    for (shape = TETRIS_READ16(tetris_shapes + (p->drop >> 10 & 31)); shape; shape >>= 4) {
        while (p->y + (shape >> 2 & 3) >= p->game->height) p->y--;
    }
    tetris_draw_(p, TETRIS_READ8(tetris_types + (p->drop >> 10 & 31)));
    p->state = TETRIS_FALLING_;
    return TETRIS_FALL;
}

#endif /* TETRIS_PLAYER_H */
