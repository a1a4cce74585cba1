import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { SEALED_COLUMNS } from '../../src/domain/setup/installation-secret.ts'

const ROOT = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, ROOT), 'utf8')

/** Files that seal, with where the value goes. */
const SEALING: Readonly<Record<string, string>> = {
  'src/domain/people/factors/authenticators.ts': 'authenticators',
  'src/domain/schools/signing-key-operations.ts': 'signing_keys',
  'src/domain/setup/installation-secret.ts':
    'installations, which a rotation seals again with everything else',
  'src/surfaces/pages/admin/apps/secret.tsx': 'a cookie, for minutes',
  'src/surfaces/pages/frame/form-owner.ts': 'a field of a form, while it is open',
}

test('every column with a sealed value is in the list, so a rotation of the secret seals it again', () => {
  const tables = read('migrations/schema.sql').matchAll(/^create table (\w+) \(\n([\s\S]*?)^\)/gm)
  const sealed = [...tables].flatMap(([, table, columns = '']) =>
    [...columns.matchAll(/^ {2}(\w*sealed\w*) bytea/gm)].map(([, column]) => `${table}.${column}`),
  )
  expect(sealed.length).toBeGreaterThan(0)
  expect(SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`).sort()).toEqual(
    sealed.sort(),
  )
})

test('every file that seals is known: what it stores has a column with "sealed" in its name', () => {
  const names = readdirSync(new URL('src', ROOT), { recursive: true, encoding: 'utf8' })
    .filter((name) => /(?<!\.test)\.tsx?$/.test(name))
    .map((name) => `src/${name}`)
  const sealing = names.filter((name) => /\bseal\(/.test(read(name)) && !name.endsWith('/seal.ts'))
  expect(
    sealing.sort(),
    'Name the column sealed_…, describe it in setup/installation-secret.ts, and add the file here.',
  ).toEqual(Object.keys(SEALING).sort())
})

test('whatever is sealed or signed opens with an old secret, too', () => {
  const names = readdirSync(new URL('src', ROOT), { recursive: true, encoding: 'utf8' })
  const openers = /(?:unseal|checkFormToken|isFormToken|findKnownDevice)\([^;]{0,80}?\.key\(/
  const wrong = names.filter((name) => /\.tsx?$/.test(name) && openers.test(read(`src/${name}`)))
  expect(wrong, 'use keyring.keys(), which has the old one').toEqual([])
})

test('no key of the installation makes a hash that is stored for long: a rotation could not renew it', () => {
  const names = readdirSync(new URL('src/domain', ROOT), { recursive: true, encoding: 'utf8' })
  const hashing = names.filter(
    (name) =>
      /(?<!\.test)\.ts$/.test(name) && /hmacSha256\(\s*keyring/.test(read(`src/domain/${name}`)),
  )
  expect(hashing).toEqual([])
})
