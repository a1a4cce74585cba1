/** What pg's own packages (its cursor, its streams) take from it as well. */
declare module 'pg/lib/utils' {
  const utils: { prepareValue(value: unknown): unknown }
  export default utils
}
