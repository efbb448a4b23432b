/**
 * The next position in the list of a company, a member or a webhook, as an expression of SQL.
 * @param owner - the column of the list's owner; its value is the expression's parameter
 */
export const nextPosition = (table: string, owner: string): string =>
  `(SELECT coalesce(max(position), 0) + 1 FROM ${table} WHERE ${owner} = ?)`;

/** The row number that an `INSERT … RETURNING pk` answered. */
export function inserted(row: { pk: number } | undefined): number {
  if (!row) throw new Error("INSERT … RETURNING pk answered no row");
  return row.pk;
}
