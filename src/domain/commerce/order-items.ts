/** Which column of an item names the thing that was bought. */
const THINGS: Readonly<Record<string, string>> = {
  course: 'course_id',
  digital_product: 'digital_product_id',
  event: 'event_id',
  membership_plan: 'plan_id',
}

/** An item as the API shows it, in the columns of its table. */
export function itemColumns({
  kind,
  item_id,
  ...item
}: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const thing = THINGS[String(kind)]
  return thing === undefined || item_id == null ? item : { ...item, [thing]: item_id }
}
