"""Glyphs in the hex format of fonts, narrow and wide."""

LETTER_A = "0041:0000000018242442427E424242420000"
WIDE = "4E00:" + "0000" * 7 + "7FFC" + "0000" * 8
