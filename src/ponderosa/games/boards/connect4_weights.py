"""What the open lines of Connect Four are worth, fitted to solved positions. Start at lead_by_weights.

A window is four cells in a line; it is open as long as not both players have a stone in it. What an open window is
worth depends on its place (its mirror image is worth the same), on the cells that are taken and by whom, and on whose
turn it is: who gets which cell of a column is a matter of parity (Allis 1988).
benchmarks/connect4_weights.py finds the numbers.
"""

from __future__ import annotations

import base64
import itertools
from typing import Any, NamedTuple

import numpy as np

from ponderosa.compile.annotations import Int, Record
from ponderosa.games.boards.lines import span_of

ROWS, COLUMNS, K = 6, 7, 4
"""The board that the weights are for."""
TAKEN = 2**K - 1
"""Sets of cells that are taken, but for none."""
SHAPE = (2, 2, 36, TAKEN)
"""The weights go by whose turn it is, by the owner of the stones, by the kind of window and by the taken cells."""
UNIT = 1 / 32
"""Weights are whole numbers of this."""

Cell = tuple[int, int]


class Window(NamedTuple):
    """Four cells in a line, from the lowest bit on, as games/boards/lines.py keeps them: four bits of a number."""

    cells: tuple[Cell, ...]
    line: int
    begin: int
    """The lowest of the four bits."""

    def image(self) -> tuple[Cell, ...]:
        """The cells, mirrored if that comes first: windows that are mirror images of each other have the same ones."""
        mirrored = tuple((row, COLUMNS - 1 - column) for row, column in self.cells)
        return min(self.cells, mirrored, key=sorted)


def windows() -> list[Window]:
    """All windows of the board."""
    found = []
    for way, row, column in itertools.product(range(4), range(ROWS), range(COLUMNS)):
        up, right = ((0, 1), (1, 0), (1, 1), (-1, 1))[way]
        cells = tuple((row + step * up, column + step * right) for step in range(K))
        if all(0 <= r < ROWS and c < COLUMNS for r, c in cells):
            line = (row, column, row - column + COLUMNS - 1, row + column)[way]
            found.append(Window(cells, way * span_of(ROWS, COLUMNS) + line, row if way == 1 else column))
    return found


def spread(values: Any) -> Any:
    """Values of SHAPE as a table by whose turn it is, window, and bits: the first player's, above them the second's.

    Windows without stones, and those with stones of both players, have 0.
    """
    table = np.zeros((2, len(WINDOWS), 4**K), values.dtype)
    kinds: dict[Any, int] = {}
    for number, window in enumerate(WINDOWS):
        image = window.image()
        kind = kinds.setdefault(frozenset(image), len(kinds))
        places = [sorted(image).index(cell) for cell in image]
        for taken in range(1, TAKEN + 1):
            same = sum(1 << place for bit, place in enumerate(places) if taken >> bit & 1)
            for owner in range(2):
                table[:, number, taken << K * owner] = values[:, owner, kind, same - 1]
    return table


def has_weights(rows: Int, columns: Int, k: Int) -> Any:
    """Whether the weights are for such a board."""
    return rows == ROWS and columns == COLUMNS and k == K


def lead_by_weights(s: Record) -> Any:
    """How well the first player stands: the logarithm of the odds to win."""
    total = BEFORE[s.player]
    others = 4 * s.span
    for number in range(len(LINES)):
        first = (np.int64(s.lines[LINES[number]]) >> BEGINS[number]) & TAKEN
        second = (np.int64(s.lines[LINES[number] + others]) >> BEGINS[number]) & TAKEN
        total += WEIGHTS[s.player, number, first | second << K]
    return total


WINDOWS = windows()
LINES = np.array([window.line for window in WINDOWS])
BEGINS = np.array([window.begin for window in WINDOWS])

BEFORE = (0.220, -0.635)
"""What it is worth to the first player, stones apart, that it is the first or the second player's turn."""
TEXT = """
4E`hk9VP(%E+YUK000061t|(D8UP9~9snBv0009E4*d}f3k?Y!83qjq01N{W0}~Pq1`ikv00;#D4GtR(8XzPRA1W{?C^-NV3la|y86OiE8Uqpk695DO5
di`Q3kL=S2nzcI01OHZ1r7@Y1_K5I2>%5D0RjsI{|Em500aOU1q1*B1PBZV2m=BE3jhiO4*>rA1pxs400a2`00jU500;g3{{994{PzL?1ONa4{Qw9600
000000000000501N;C0000000000000dD5&!@I000000000003HAk000000000000000{{RpG00000000000000402KfL0000000000000XB6aWAK000
000000000#gH000000000000000000I600000000000000600{s90000000000000dD5&!@I000000000000;mP000000000000000{{s*S5DFLy5Fjr
O3;+NC2@nMa5D^g?AVClm0093D3=9Sc2?H7(EC~ew016Zk@dFkO2_Gmt6&3&h1o{mI3Jf6x2@3}YCJF!x{u2!v0~Z7k3JwGq0ssvF4G0$tAPN@<3;_=P
022KU2p$C={|f^K0uccK0SFHR0TB}e4+{nY0sjCB3K9Va5()+o4gU%Q1^@>93jGEL2LlcE3j6v201EsD{0amE1`hoO1pNU3`~3p?`SSnz_xkPY=+^)U0
SfN(@96>N`tI)T<pBKq?EvQKwD{}Z!|Tt_0Q2+j_~q`o_vPKZ=HJu+`2hR)1Nrpn_4@Sk_UHib`Stbn@#XR3`1$z&@&Nn&_Wb|z===Ko_U`)c0QmRx_V
oDa`2qC=@%i-t|Nr&>|NZ{;`u+Xx1@i#@`u_g_0Q39-`~vz1`2YX{1_S-~|M&p?0Q>*|0RH>+1pWR10`&j@000000RaC1006)M00000000060Q~>}0MY
;e00000000gE{r~^~;s5{u0000002ToL0002<0000000000`~dU-006xJ000000002|0Qdj^0KNbK00000008~~`Tzg`(EtDd000000Q~^^0002#0000
000000008&^0071S00000000000Q3L=0LK6T0000000093_W%F@&j0`b0000000IE<0002m0000000000_y6_%`RmaC^Y7#C;NSrI1o-gx@YVVA`RVM%
;sE>l`tbbp=l=2W?eNd$0Q>X!?fUTQ_~Y-|>%Q^;00I8~0s-&&`S|ew^z8uk`}z6){rB<c`t{}Z@BsJz`1bqt@%ZcX^ZNPu0QmUt>-6H``}Xwl`R@Y&{
Qvg)0sQ;@_WSqm0sH{+0PXtx_xJ<%|NHgz`T+F%^9%I;_5b|#`UCv@0Qdp>|M2+m1O4>={Q~>|0s#*G5fmW{C=wtPD;fX<1q=os6CD5?5*ia5902?P`T
+?53Iqrf9|IK~00IF32@(wu{0$Tn1q>1Z2Luxi3>!NW8XO@VA1nX}2MY=c4<Zi`5eN<t6#xeW4gm!M1_%TP00RdE00sgE2M7oi3kC@T0R{X30r(37{to
>L1N{LI009660tW#D0{;dA0t62L1OWa42LA#700#p4{{jF20R031{QLj_^aTL`0ssI2{s0F60027x000000000200;m804x9i00000000F50ssI2B>(^
b0000001*HJ0000P0000000000{s0L8002M$000000002}01p5F05$*s00000008{}5C8xGFaQ7m000000Qvw60000H00000000000RRI4002V(00000
00002015yA07C!(00000009303;+NCJpcdz000000Q>+10000m00000000001pNp92MZVi3m7yD5+VQr00RaB4HX0c7CaFbEdT-n1quZS5B~}jD+~b^0
0R>X3kVDo1QZ`T03Qti1OW&H4F4Dh1q2iiC=UP)0~QVu0we|(00s;j2LK8L3=bFwAOjW&1qluU01N{Q2^a({{tO2V3={wW00IdC0}vMj1PK2H{ssUG0T
cuX1rr1W5&#DE2>=B94EYHJ3H|>70Qmg}00#L70|f*D0tEU1`UU|200H#^_2vNf?(+cX000020sH{=>i_}k_W<hv008mq*8AAnweH~7w&c<00PgG4_T%
-r?cCD4;@#H(_x$et{`c(m^!@Sj^XUNk0Q36!^y&BO`}p$p>j3=y^8W<$`uP0(`tkPq0QB|m`SSGe{r&U+_5%F?{r>j<0{Q;)2LAu`|Na2_0rdj|^#1t
z{Qvm?{r~_2{{sI800R2~0Q>*|0Qmm~`~mp@0RjF0`2YX_0RZ~|0000000000000030P_F<0000000000000R9@&Et;000000000001W{10000000000
00000{Q&a-00000000000002`0Q3L=0000000000008p<?*IS*00000000000PX<y0000000000000000RZ>_00000000000002>0Pg?*00000000000
08;`?f?J)00000000000QLat000000000000000{Q>d%_UhC9@A2dD?EnD#0`%+d?9%z}^zr1w00932_w)Al?eOUC>hQq;0QUOx^7QlW{nh2$^TGfC00
jO3{rK_y`uy|x|N8*+`}F+y_xAGW@%8fg`vCI+{rvd$`TXef@&5k;0Pyqd_wn230qg$s@B8xr{Qma-`}ptt`tJSu0002>`0)4i`2GCx0R8g!{{Zs+?+f
?)@&ow%000620POnh0qOSq|NjH{0R8>|
"""
"""The weights, a byte each, in base 85."""
WEIGHTS = spread(UNIT * np.frombuffer(base64.b85decode("".join(TEXT.split())), np.int8).reshape(SHAPE))
