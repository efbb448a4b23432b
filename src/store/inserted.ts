/** The row number that an `INSERT … RETURNING pk` answered. */
export function inserted(row: { pk: number } | undefined): number {
  if (!row) throw new Error("INSERT … RETURNING pk answered no row");
  return row.pk;
}
