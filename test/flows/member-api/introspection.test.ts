import { readFile, writeFile } from 'node:fs/promises'
import { introspectionFromSchema } from 'graphql/index.js'
import { expect, test } from 'vitest'
import { buildMemberSchema } from '../../../src/surfaces/member-api/schema.ts'

const FILE = new URL('./introspection.generated.ts', import.meta.url)

test('the typed client of the tests is generated from the schema (UPDATE_SCHEMA=1)', async () => {
  const introspection = introspectionFromSchema(buildMemberSchema('newer'), { descriptions: false })
  const source = `export const introspection = ${JSON.stringify(introspection)} as const\n`
  if (process.env.UPDATE_SCHEMA === '1') await writeFile(FILE, source)
  expect(await readFile(FILE, 'utf8')).toBe(source)
})
