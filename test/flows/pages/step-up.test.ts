import { describe, expect, test } from 'vitest'
import { createMember } from '../../../src/domain/people/member-operations.ts'
import { type Answer, hiddenFields, hiddenPairs, type Visitor } from '../../support/browser-like.ts'
import { ageProof } from '../../support/old-proof.ts'
import { aBetaSchool, signedIn, submit, switchOff } from '../../support/operator-like.ts'
import type { ProvenOwner } from '../../support/proof-act.ts'
import { EXPORT, PROOF_ACTS } from '../../support/proof-acts.ts'
import { temporaryFiles } from '../../support/temporary-files.ts'

import { uploadTo } from '../../support/uploading.ts'
import { aWorld, PASSWORD, type TestSchool } from '../../support/world.ts'

const world = await aWorld({ files: await temporaryFiles() })
const KEYS = '/admin/keys'

async function anOperator(minutes = 11): Promise<ProvenOwner> {
  const school = await aBetaSchool(world)
  const person = await world.aMember(school, ['owner'])
  const visitor = await signedIn(world, school, person)
  await ageProof(world, person, minutes)
  return { world, school, person, visitor }
}

async function confirm(visitor: Visitor, path: string, password = PASSWORD) {
  return await type(visitor, await visitor.get(path), password)
}

async function type(visitor: Visitor, page: Answer, password = PASSWORD) {
  return await visitor.post('/confirm', { ...hiddenFields(page.body, '/confirm'), password })
}

const sessionCookie = (visitor: Visitor): [string, string] => {
  const found = Object.entries(visitor.cookies()).find(([, value]) => value.startsWith('sg_ss_'))
  return found ?? ['', '']
}

const countOf = async ({ id }: TestSchool) => {
  const { rows } = await world.database.pool.query<{ entries: number }>(
    `select (select count(*) from audit_entries where school_id = $1)::int
       + (select count(*) from jobs where school_id = $1)::int as entries`,
    [id],
  )
  return rows[0]?.entries
}

describe('a session whose last proof is eleven minutes old', () => {
  test.each(Object.entries(PROOF_ACTS))('is asked before it may %s', async (_, { prepare }) => {
    const owner = await anOperator(0)
    const { school, visitor, person } = owner
    const { page, action, fields } = await prepare(owner)
    await ageProof(world, person)
    const before = await countOf(school)
    const asked = await submit(visitor, page, action, fields)
    expect(asked.statusCode).toBe(200)
    expect(asked.body).toContain('Confirm that it is you')
    const confirmed = await type(visitor, asked)
    expect(confirmed.body).toContain('Nothing was lost')
    const kept = hiddenPairs(confirmed.body, action)
    expect(kept).toEqual(expect.arrayContaining(fields ?? []))
    expect(await countOf(school)).toBe(before)
    expect((await visitor.post(action, kept)).statusCode).toBe(303)
    expect(await countOf(school)).not.toBe(before)
    const again = await prepare(owner)
    await ageProof(world, person, 9)
    const later = await submit(visitor, again.page, again.action, again.fields)
    expect(later.statusCode).toBe(303)
  })

  test('is asked before it opens the form for an import, whose file could not be kept', async () => {
    const { visitor } = await anOperator()
    const asked = await visitor.get('/admin/jobs/import')
    expect(asked.headers.location).toBe('/confirm?return_to=%2Fadmin%2Fjobs%2Fimport')
  })

  test('stores no file for an import either, although its form was opened in time', async () => {
    const { visitor, school } = await anOperator()
    const before = await countOf(school)
    const sent = await uploadTo(visitor, '/admin/jobs/import', {
      fields: { resource: 'members' },
      name: 'rows.csv',
      bytes: Buffer.from('email,name,roles\nthief@example.test,Kit,owner\n'),
    })
    expect(sent.headers.location).toBe('/confirm?return_to=%2Fadmin%2Fjobs%2Fimport')
    expect(await countOf(school)).toBe(before)
  })

  test('may close what lets people and apps in at once', async () => {
    const { visitor, school } = await anOperator()
    const { clientId } = await world.aPublicClient(school)
    await world.database.db
      .updateTable('schools')
      .set({ open_registration: true, sign_up: true, document_hosts: ['app.example'] })
      .where('id', '=', school.id)
      .execute()
    world.context.directory.forget(school.id)
    const documents = '/admin/clients/documents'
    const hosts = { document_hosts: 'app.example' }
    for (const done of [
      await submit(visitor, '/admin/clients', documents, hosts),
      await submit(visitor, '/admin/settings', '/admin/settings/sign-up'),
      await submit(visitor, '/admin/settings', '/admin/settings/security', {
        end_authorization_on_replay: 'on',
      }),
      await submit(visitor, '/admin/settings', '/admin/settings/beta'),
      await switchOff(visitor, clientId),
    ]) {
      expect(done.headers.location).toContain('done=')
    }
    const row = await world.database.db
      .selectFrom('schools')
      .select(['open_registration', 'sign_up', 'document_hosts', 'end_authorization_on_replay'])
      .where('id', '=', school.id)
      .executeTakeFirstOrThrow()
    expect(row).toEqual({
      ...{ open_registration: false, sign_up: false, document_hosts: ['app.example'] },
      end_authorization_on_replay: true,
    })
  })

  test('may add a student and do everything else without being asked', async () => {
    const { visitor } = await anOperator()
    const fields = { email: 'lee@example.test', name: 'Lee', roles: 'student' }
    const done = await submit(visitor, '/admin/members/new', '/admin/members/new', fields)
    expect(done.headers.location).toContain('done=')
    for (const path of ['/account', '/admin', KEYS, '/admin/members']) {
      expect((await visitor.get(path)).statusCode, path).toBe(200)
    }
  })

  test('changes its password with the current one, which counts as the proof', async () => {
    const operator = await anOperator()
    const { visitor } = operator
    const changed = await submit(visitor, '/account/password', '/account/password', {
      current_password: PASSWORD,
      new_password: 'a much better password',
    })
    expect(changed.headers.location).toContain('/account/settings?done=password')
    const done = await submit(visitor, KEYS, `${KEYS}/publish`)
    expect(done.headers.location).toBe(`${KEYS}?done=published`)
  })
})

describe('the page that asks', () => {
  test('is skipped when the proof is recent', async () => {
    const { visitor } = await anOperator(9)
    const answer = await visitor.get('/confirm?return_to=%2Fadmin')
    expect(answer.headers.location).toBe('/admin')
  })

  test('leads a person whose session has ended to sign-in and then on', async () => {
    const { visitor, person } = await anOperator()
    const page = await visitor.get('/confirm?return_to=%2Fadmin%2Fkeys')
    await world.database.pool.query('delete from browser_sessions where user_id = $1', [person.id])
    const fields = { ...hiddenFields(page.body, '/confirm'), password: PASSWORD }
    for (const answer of [
      await visitor.get('/confirm?return_to=%2Fadmin%2Fkeys'),
      await visitor.post('/confirm', fields),
    ]) {
      expect(answer.headers.location).toBe('/sign-in?return_to=%2Fadmin%2Fkeys')
    }
  })

  test('says that the password is wrong or missing, and the session stays unproven', async () => {
    const { visitor } = await anOperator()
    for (const [typed, status, words] of [
      ['', 400, 'Enter your password.'],
      ['a guess', 401, 'This is not your password.'],
    ] as const) {
      const answer = await confirm(visitor, '/confirm', typed)
      expect(answer.statusCode).toBe(status)
      expect(answer.body).toContain(words)
    }
    const asked = await submit(visitor, KEYS, `${KEYS}/publish`)
    expect(asked.body).toContain('Confirm that it is you')
  })

  test('refuses the password of another person, and never becomes their session', async () => {
    const { visitor, school, person } = await anOperator()
    const other = await world.aMember(school, ['owner'])
    await world.database.db
      .updateTable('users')
      .set({ password_hash: null })
      .where('id', '=', person.id)
      .execute()
    const page = await visitor.get('/confirm')
    const fields = { ...hiddenFields(page.body, '/confirm'), email: other.email }
    const refused = await visitor.post('/confirm', { ...fields, password: PASSWORD })
    expect(refused.statusCode).toBe(401)
    expect((await visitor.get('/account')).body).toContain(person.email)
  })

  test('a thief with a stolen session has ten guesses, at this page and at the change of the password together', async () => {
    const { visitor } = await anOperator()
    const guess = { current_password: 'a guess', new_password: 'a much better password' }
    for (let i = 0; i < 5; i++) {
      expect((await confirm(visitor, '/confirm', `guess ${i}`)).statusCode).toBe(401)
      const change = await submit(visitor, '/account/password', '/account/password', guess)
      expect(change.statusCode).toBe(401)
    }
    const throttled = await confirm(visitor, '/confirm')
    expect(throttled.statusCode).toBe(429)
    expect(Number(throttled.headers['retry-after'])).toBeGreaterThan(0)
    expect(throttled.body).toContain('Too many attempts')
  })

  test('a form from another site, or of another session, proves nothing', async () => {
    const { visitor, school, person } = await anOperator()
    const fields = {
      ...hiddenFields((await visitor.get('/confirm')).body, '/confirm'),
      password: PASSWORD,
    }
    const foreign = { origin: 'https://evil.example' }
    expect((await visitor.post('/confirm', fields, foreign)).statusCode).toBe(403)
    const elsewhere = await signedIn(world, school, person)
    expect((await elsewhere.post('/confirm', fields)).statusCode).toBe(403)
  })

  test('a link cannot make it lead to another site', async () => {
    const { visitor } = await anOperator()
    const done = await confirm(visitor, '/confirm?return_to=%2F%2Fevil.example')
    expect(done.headers.location).toBe('/account')
  })

  test('a stolen copy of the cookie ends when its owner confirms; forms in other tabs still fit', async () => {
    const { visitor, school, person } = await anOperator()
    const [name, stolen] = sessionCookie(visitor)
    const tab = hiddenFields((await visitor.get('/account')).body, '/sign-out')
    await confirm(visitor, '/confirm')
    expect(sessionCookie(visitor)[1]).not.toBe(stolen)
    const thief = await signedIn(world, school, await world.aMember(school))
    thief.plant(name, stolen)
    expect((await thief.get('/account')).statusCode).toBe(303)
    expect((await visitor.get('/account')).body).toContain(person.email)
    expect((await visitor.post('/sign-out', tab)).headers.location).toBe('/')
  })
})

test('an export that is done asks again when its file is downloaded later', async () => {
  const { visitor, person } = await anOperator(0)
  const started = await submit(visitor, EXPORT.page, EXPORT.action, EXPORT.fields)
  const job = String(started.headers.location).split('?')[0]
  await ageProof(world, person)
  const asked = await visitor.get(`${job}/file`)
  expect(asked.headers.location).toBe(`/confirm?return_to=${encodeURIComponent(job ?? '')}`)
})

test('a thief with an old session downloads no audit log, whose entries name people', async () => {
  const { visitor } = await anOperator()
  const asked = await visitor.get('/admin/audit/export?format=csv&outcome=ok')
  const back = encodeURIComponent('/admin/audit?outcome=ok')
  expect(asked.headers.location).toBe(`/confirm?return_to=${back}`)
  const confirmed = await confirm(visitor, String(asked.headers.location))
  expect(confirmed.headers.location).toBe('/admin/audit?outcome=ok')
  const file = await visitor.get('/admin/audit/export?format=csv&outcome=ok')
  expect(file.headers['content-disposition']).toContain('audit.csv')
})

test('an operation says by itself when it needs a proof', () => {
  expect(createMember.needsProof?.({ roles: ['student', 'admin'] })).toBe(true)
  expect(createMember.needsProof?.({ roles: ['student'] })).toBe(false)
  expect(createMember.needsProof?.({})).toBe(false)
})
