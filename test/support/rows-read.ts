import type pg from 'pg'

interface Node {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Index Recheck'?: number
  readonly Plans?: readonly Node[]
}

/**
 * Runs a statement and returns how many rows its scans have read, used or not. Counted, so no
 * machine is too slow.
 */
export async function rowsRead(
  client: pg.Client,
  text: string,
  values: readonly unknown[],
): Promise<number> {
  const { rows } = await client.query(`explain (analyze, timing off, format json) ${text}`, [
    ...values,
  ])
  return readBelow(rows[0]['QUERY PLAN'][0].Plan)
}

/**
 * The same with the plan that PostgreSQL keeps for all values, which a statement gets that a
 * connection runs often.
 */
export async function rowsReadByKeptPlan(
  client: pg.Client,
  text: string,
  values: readonly unknown[],
): Promise<number> {
  const given = values.map((value) => literal(client, value))
  const execute = `execute kept${given.length === 0 ? '' : `(${given.join(', ')})`}`
  await client.query(`set plan_cache_mode = force_generic_plan; prepare kept as ${text}`)
  try {
    const { rows } = await client.query(`explain (analyze, timing off, format json) ${execute}`)
    return readBelow(rows[0]['QUERY PLAN'][0].Plan)
  } finally {
    await client.query('deallocate kept; reset plan_cache_mode')
  }
}

/** EXECUTE takes no parameters of the protocol. */
function literal(client: pg.Client, value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (Array.isArray(value)) {
    return client.escapeLiteral(`{${value.map((one) => JSON.stringify(String(one))).join()}}`)
  }
  return client.escapeLiteral(value instanceof Date ? value.toISOString() : String(value))
}

function readBelow(node: Node): number {
  const below = (node.Plans ?? []).reduce((sum, plan) => sum + readBelow(plan), 0)
  if (!/Scan$/.test(node['Node Type'])) return below
  const each =
    node['Actual Rows'] +
    (node['Rows Removed by Filter'] ?? 0) +
    (node['Rows Removed by Index Recheck'] ?? 0)
  return below + each * node['Actual Loops']
}
