import { existsSync, readFileSync } from 'node:fs'
import { z } from 'zod'
import type { Actor } from '../domain/actor/actor.ts'
import { ROLES } from '../domain/actor/actor.ts'
import { KnownNames } from '../domain/bulk/kind.ts'
import { readRows } from '../domain/bulk/row-reader.ts'
import { BULK_KINDS } from '../domain/catalogue/bulk-kinds.ts'
import { addKnownMembers, type KnownPerson } from '../domain/people/known-people.ts'
import { setRoles } from '../domain/people/membership.ts'
import type { SchoolTx } from '../foundation/db/school-db.ts'
import { PACKAGE_FOLDER } from '../foundation/package-folder.ts'
import type { DemoClock } from './demo-clock.ts'
import { demoId } from './demo-id.ts'
import type { DemoSchool } from './demo-schools.ts'

const FOLDER = new URL('assets/demo/', PACKAGE_FOLDER)

/**
 * A file of `assets/demo/`: NDJSON as an import takes it, apart from two kinds of texts. `#name` is
 * the id of that name, and `@time` a time, see `DemoClock`.
 */
function readFile(path: string, clock: DemoClock, school?: DemoSchool): string {
  const url = new URL(path, FOLDER)
  if (!existsSync(url)) return ''
  const idOf = (name: string) =>
    demoId(name.startsWith('person/') ? name : `${school?.subdomain}/${name}`)
  return readFileSync(url, 'utf8')
    .replaceAll(/"#([a-z-]+\/[\w/-]+)"/g, (_, name: string) => `"${idOf(name)}"`)
    .replaceAll(/"@([\w :+-]+)"/g, (_, time: string) =>
      JSON.stringify(clock.read(time, school?.time_zone)),
    )
}

function rowsOf<S extends z.ZodType>(text: string, schema: S): z.output<S>[] {
  const lines = text.split('\n').filter((line) => line !== '')
  return lines.map((line) => schema.parse(JSON.parse(line)))
}

const person = z.strictObject({
  id: z.uuid(),
  email: z.string(),
  name: z.string(),
  picture: z.string(),
  since: z.coerce.date(),
})

export function readPeople(clock: DemoClock): readonly KnownPerson[] {
  return rowsOf(readFile('people.ndjson', clock), person)
}

const membership = z.strictObject({
  id: z.uuid(),
  roles: z.array(z.enum(ROLES)),
  joined_at: z.coerce.date(),
  signed_in_at: z.coerce.date(),
  /** Leaves the school after all else: the row stays, without a role. */
  left: z.literal(true).optional(),
})

/** Imports a school's members, what it teaches, sells and says, and what the members did. */
export async function importSchool(
  tx: SchoolTx,
  actor: Actor,
  school: DemoSchool,
  clock: DemoClock,
): Promise<void> {
  const text = readFile(`${school.subdomain}/memberships.ndjson`, clock, school)
  const members = rowsOf(text, membership)
  await addKnownMembers(
    tx,
    members.map(({ id, roles, joined_at, signed_in_at }) => ({
      userId: id,
      roles,
      joinedAt: joined_at,
      signedInAt: signed_in_at,
    })),
  )
  await importContents(tx, actor, school, clock)
  for (const { id, left } of members) if (left === true) await setRoles(tx, id, [])
}

async function importContents(
  tx: SchoolTx,
  actor: Actor,
  school: DemoSchool,
  clock: DemoClock,
): Promise<void> {
  const known = new KnownNames()
  for (const kind of BULK_KINDS) {
    const path = `${school.subdomain}/${kind.name}.ndjson`
    const text = readFile(path, clock, school)
    for await (const read of readRows(kind, 'ndjson', bytesOf(text))) {
      const rows = read.map((row) => ('problems' in row ? refused(path, row.line, row) : row))
      const outcomes = await kind.write(tx, actor, rows, known)
      for (const [place, outcome] of outcomes.entries()) {
        if (outcome !== 'created') refused(path, rows[place]?.line, outcome)
      }
    }
  }
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array, void, void> {
  yield Buffer.from(text)
}

function refused(path: string, line: number | undefined, why: unknown): never {
  throw new Error(`assets/demo/${path}:${line} cannot be imported: ${JSON.stringify(why)}`)
}
