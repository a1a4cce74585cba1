import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import type pg from 'pg'
import type { ContestKind } from './contest-kind.ts'

const BATCH_ROWS = 1000

/** Reads lines into lists and inserts a thousand rows per statement, without any check. */
export async function importBare(
  client: pg.ClientBase,
  schoolId: string,
  { kind, floor, types }: ContestKind,
  file: string,
  onProgress: (done: number) => void,
): Promise<void> {
  const columns = Object.keys(types)
  const lists = columns.map((column, place) => `$${place + 2}::${types[column]}[]`)
  const statement = {
    name: `floor ${kind.name}`,
    text: `with given as (select * from unnest(${lists.join(', ')}) as g (${columns.join(', ')})) ${floor}`,
  }
  let done = 0
  let rows: Record<string, unknown>[] = []
  const write = async (): Promise<void> => {
    const values = columns.map((column) => rows.map((row) => row[column]))
    done += rows.length
    rows = []
    await client.query({ ...statement, values: [schoolId, ...values] })
    onProgress(done)
  }
  for await (const line of createInterface({ input: createReadStream(file) })) {
    rows.push(JSON.parse(line))
    if (rows.length === BATCH_ROWS) await write()
  }
  if (rows.length > 0) await write()
}
