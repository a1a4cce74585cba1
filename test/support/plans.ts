import type pg from 'pg'
import { connect } from './postgres.ts'

interface Node {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Index Cond'?: string
  readonly Plans?: readonly Node[]
}

/** Tables that always stay small, so that a full read is cheap. */
const SMALL: Readonly<Record<string, string>> = {
  vendor_platforms: 'a few rows for the whole installation, added only by migrations',
}

/**
 * The first column of each index, by the index's name; empty for GIN, which is searched by any of
 * its columns.
 */
type Leading = ReadonlyMap<string, string>

/**
 * Returns the statements that read a whole table or index, with its name. The planner settings make
 * sequential reads expensive: the test tables are nearly empty, so a full read would otherwise be
 * the best plan. A statement without a fitting index still reads everything.
 */
export async function wholeReads(
  connection: pg.ClientConfig,
  statements: readonly string[],
): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>()
  await planning(connection, async (planOf, leading) => {
    for (const text of new Set(statements.filter(isPlanned))) {
      const whole = wholeReadsBelow(await planOf(text), leading)
      if (whole.length > 0) found.set(text.replace(/\s+/g, ' ').trim(), whole)
    }
  })
  return found
}

/** The indexes that the plan of a statement uses. */
export async function indexesOf(connection: pg.ClientConfig, text: string): Promise<string[]> {
  const namesBelow = (node: Node): string[] => [
    ...(node['Index Name'] === undefined ? [] : [node['Index Name']]),
    ...(node.Plans ?? []).flatMap(namesBelow),
  ]
  let names: string[] = []
  await planning(connection, async (planOf) => {
    names = namesBelow(await planOf(text))
  })
  return names
}

function isPlanned(text: string): boolean {
  return /^\s*(select|with|insert|update|delete)\b/i.test(text)
}

async function planning(
  connection: pg.ClientConfig,
  work: (planOf: (text: string) => Promise<Node>, leading: Leading) => Promise<void>,
): Promise<void> {
  const client = await connect(connection)
  try {
    await client.query(`
      set enable_seqscan = off; set enable_hashjoin = off; set enable_mergejoin = off;
      set cpu_tuple_cost = 100; set cpu_index_tuple_cost = 100;
      set plan_cache_mode = force_generic_plan`)
    const { rows } = await client.query(`
      select i.indexrelid::regclass::text as index,
        case a.amname when 'gin' then '' else pg_get_indexdef(i.indexrelid, 1, true) end as leading
      from pg_index i join pg_class c on c.oid = i.indexrelid join pg_am a on a.oid = c.relam`)
    await work(
      (text) => planOf(client, text),
      new Map(rows.map(({ index, leading }) => [index, leading])),
    )
  } finally {
    await client.end()
  }
}

async function planOf(client: pg.Client, text: string): Promise<Node> {
  await client.query(`prepare looked_at as ${text}`)
  const gaps = Math.max(0, ...[...text.matchAll(/\$(\d+)/g)].map(([, n]) => Number(n)))
  const values = gaps === 0 ? '' : `(${Array(gaps).fill('null').join(', ')})`
  const { rows } = await client.query(`explain (format json) execute looked_at${values}`)
  await client.query('deallocate looked_at')
  return rows[0]['QUERY PLAN'][0].Plan
}

function wholeReadsBelow(node: Node, leading: Leading): string[] {
  const { 'Node Type': type, 'Relation Name': table, 'Index Name': index } = node
  const isWhole = type === 'Seq Scan' || (index !== undefined && !isLed(node, leading))
  const reads = isWhole && !(table !== undefined && table in SMALL)
  return [
    ...(reads ? [`${type} of ${index ?? table}`] : []),
    ...(node.Plans ?? []).flatMap((below) => wholeReadsBelow(below, leading)),
  ]
}

/**
 * Whether an index scan has a condition on the index's first column. PostgreSQL 18 can also use
 * only later columns, by one search per value of the first column, which means one per school.
 */
function isLed(node: Node, leading: Leading): boolean {
  const { 'Index Name': index = '', 'Index Cond': condition = '' } = node
  const first = leading.get(index)
  if (first === undefined) return false
  if (first === '') return condition !== ''
  // As in `((school_id = $1) AND ((action)::text = $2))`, or `(ROW(id, at) < ROW($1, $2))`.
  return condition.split(' AND ').some((part) => {
    const bare = part.replace(/^(\(|ROW)+/, '')
    return bare.startsWith(first) && !/^\w/.test(bare.slice(first.length))
  })
}
