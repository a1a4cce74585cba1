/** The column of an order item that refers to what was bought. */
export const ITEM_COLUMNS = {
  course: 'course_id',
  digital_product: 'digital_product_id',
  event: 'event_id',
  membership_plan: 'plan_id',
} as const

/** An item of the API as the columns of its table. */
export function itemColumns({
  kind,
  item_id,
  ...item
}: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const column = Object.hasOwn(ITEM_COLUMNS, String(kind))
    ? ITEM_COLUMNS[kind as keyof typeof ITEM_COLUMNS]
    : undefined
  return column === undefined || item_id == null ? item : { ...item, [column]: item_id }
}
