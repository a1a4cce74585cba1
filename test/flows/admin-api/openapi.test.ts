import { createConfig, lintFromString } from '@redocly/openapi-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { SCOPES } from '../../../src/domain/clients/scope-catalogue.ts'
import { API_ROOT } from '../../../src/domain/operation/operation.ts'
import { BULK_ROUTES } from '../../../src/surfaces/admin-api/bulk.ts'
import { JOB_FILE_ROUTE } from '../../../src/surfaces/admin-api/import-body.ts'
import { JOB_ROUTES, ROUTES } from '../../../src/surfaces/admin-api/routes.ts'
import { UPLOAD_ROUTE } from '../../../src/surfaces/admin-api/upload.ts'
import { verifies } from '../../spec/verifies.ts'
import { sharedWorld, type TestSchool, type World } from '../../support/world.ts'

let world: World
let school: TestSchool

beforeAll(async () => {
  world = await sharedWorld()
  school = await world.aSchool()
})

async function readDocument(at: TestSchool, headers: Record<string, string> = {}) {
  return await world.app.inject({
    method: 'GET',
    url: '/openapi.json',
    headers: { host: new URL(at.origin).host, ...headers },
  })
}

interface Described {
  openapi: string
  paths: Record<string, Record<string, DescribedOperation>>
  components: Record<string, Record<string, unknown>>
}

interface DescribedOperation {
  operationId: string
  security: { operator: string[] }[]
  responses: Record<string, unknown>
}

describe('/openapi.json', () => {
  verifies(
    ['openapi.served', 'openapi.no-token'],
    'every origin serves it without a token, and 304 for a matching ETag',
    async () => {
      const answer = await readDocument(school)
      expect(answer.statusCode).toBe(200)
      expect(answer.headers['content-type']).toContain('application/json')
      expect(answer.headers['access-control-allow-origin']).toBe('*')
      const again = await readDocument(school, { 'if-none-match': String(answer.headers.etag) })
      expect(again.statusCode).toBe(304)
    },
  )

  verifies(
    'openapi.own-origin',
    'servers, OAuth URLs and contact are those of the origin, and the rest is the same everywhere',
    async () => {
      const older = await world.aSchool({ variant: 'older' })
      await world.database.db
        .updateTable('schools')
        .set({ name: 'North "A\\B"', contact_email: 'hello@north.test' })
        .where('id', '=', older.id)
        .execute()
      world.context.directory.forget()
      const [here, there] = [await readDocument(school), await readDocument(older)]
      expect(here.headers.etag).not.toBe(there.headers.etag)
      const stale = await readDocument(older, { 'if-none-match': String(here.headers.etag) })
      expect(stale.statusCode).toBe(200)
      for (const [{ origin }, answer] of [
        [school, here],
        [older, there],
      ] as const) {
        const document = answer.json()
        expect(document.servers).toMatchObject([{ url: origin }])
        expect(document.components.securitySchemes.operator.flows.authorizationCode).toMatchObject({
          authorizationUrl: `${origin}/oauth/authorize`,
          tokenUrl: `${origin}/api/oauth/token`,
          refreshUrl: `${origin}/api/oauth/token`,
        })
        expect(document.info.contact.url).toBe(`${origin}/docs`)
        expect(answer.body).not.toContain('schoolgate.invalid')
      }
      expect(here.json().info.contact).not.toHaveProperty('email')
      expect(there.json().info.contact).toMatchObject({
        name: 'North "A\\B"',
        email: 'hello@north.test',
      })
      expect(there.json().paths).toEqual(here.json().paths)
    },
  )

  test('a school that changes gets another ETag', async () => {
    const other = await world.aSchool()
    const before = await readDocument(other)
    await world.database.db
      .updateTable('schools')
      .set({ contact_email: 'new@north.test' })
      .where('id', '=', other.id)
      .execute()
    world.context.directory.forget()
    const after = await readDocument(other, { 'if-none-match': String(before.headers.etag) })
    expect(after.statusCode).toBe(200)
    expect(after.json().info.contact.email).toBe('new@north.test')
  })

  verifies('openapi.rest-only', 'it describes only the REST API', async () => {
    const document: Described = (await readDocument(school)).json()
    expect(document.openapi).toBe('3.1.0')
    expect(Object.keys(document.paths).filter((path) => !path.startsWith(API_ROOT))).toEqual([])
  })

  verifies(
    'admin-api.described',
    'every route is described, with the scopes it needs',
    async () => {
      const document: Described = (await readDocument(school)).json()
      const known = new Set(SCOPES.map(({ name }) => name))
      const routes = [...ROUTES, ...JOB_ROUTES, JOB_FILE_ROUTE, UPLOAD_ROUTE, ...BULK_ROUTES]
      for (const { method, path, operation } of routes) {
        const described = document.paths[API_ROOT + path]?.[method.toLowerCase()]
        expect(described?.security).toEqual([{ operator: operation.scopes }])
        expect(JSON.stringify(described)).not.toContain('Without  ')
        expect(operation.scopes.filter((scope) => !known.has(scope))).toEqual([])
      }
      const ids = Object.values(document.paths).flatMap((methods) =>
        Object.values(methods).map(({ operationId }) => operationId),
      )
      expect(ids).toHaveLength(routes.length)
      expect(new Set(ids).size).toBe(ids.length)
    },
  )

  test('the strictest rules of an OpenAPI linter find no problem', async () => {
    const config = await createConfig('extends: [recommended-strict]')
    const { body } = await readDocument(school)
    const problems = await lintFromString({ source: body, absoluteRef: 'openapi.json', config })
    expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([])
  })
})
