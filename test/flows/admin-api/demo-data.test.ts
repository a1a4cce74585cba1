import { describe, expect, test } from 'vitest'
import type { Actor } from '../../../src/domain/actor/actor.ts'
import { performOperation } from '../../../src/domain/operation/operation.ts'
import { atSchool } from '../../../src/foundation/db/school-db.ts'
import { ROUTES } from '../../../src/surfaces/admin-api/routes.ts'
import { testDatabase } from '../../support/database.ts'
import { demoDatabase } from '../../support/demo-database.ts'

const { db } = await testDatabase(await demoDatabase())

const caller: Actor = {
  userId: '00000000-0000-7000-8000-000000000000',
  roles: ['owner'],
  origin: 'http://localhost:3000',
  via: 'command_line',
}

interface Page {
  readonly data: readonly { readonly id: string }[]
  readonly next: string | null
  readonly total: number
}

const reads = new Map(
  ROUTES.filter(({ path }) => path.endsWith('/{id}')).map((route) => [
    `${route.method} ${route.path}`,
    route.operation,
  ]),
)

describe('the demo world through the operations', () => {
  test('every list can be read to its end, and every object matches its schema', async () => {
    const schools = await db.selectFrom('schools').select('id').execute()
    const empty: string[] = []
    for (const { id } of schools) {
      const schoolDb = atSchool(db, id)
      for (const { path, operation } of ROUTES) {
        if (operation.kind !== 'read' || path.includes('{')) continue
        if (!('after' in operation.input.shape)) continue
        const seen = new Set<string>()
        let after: string | undefined
        let total = 0
        do {
          const asked = { limit: 40, after, include_total: true }
          const outcome = await performOperation(operation, schoolDb, caller, asked)
          if (outcome.kind !== 'done') throw new Error(`${path}: ${outcome.kind}`)
          expect(operation.output.safeParse(outcome.output).error, path).toBeUndefined()
          const page = outcome.output as unknown as Page
          for (const object of page.data) seen.add(object.id)
          after = page.next ?? undefined
          total = page.total
        } while (after !== undefined)
        expect(seen.size, path).toBe(total)
        if (seen.size === 0) empty.push(path)
        const read = reads.get(`GET ${path}/{id}`)
        const [first] = seen
        if (read === undefined || first === undefined) continue
        const outcome = await performOperation(read, schoolDb, caller, { id: first })
        if (outcome.kind !== 'done') throw new Error(`${path}: ${outcome.kind}`)
        expect(read.output.safeParse(outcome.output).error, path).toBeUndefined()
      }
    }
    expect(empty).toEqual([])
  })
})
