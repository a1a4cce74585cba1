import { describe, expect, test } from 'vitest'
import { deletePerson } from '../../../src/domain/people/deletion/delete-person.ts'
import { mintResetLink } from '../../../src/domain/people/reset-link.ts'
import { hiddenFields, Visitor } from '../../support/browser-like.ts'
import { signedIn, submit } from '../../support/operator-like.ts'
import {
  addPasskey,
  PasskeyDevice,
  proveForOther,
  questionOn,
  signInWith,
} from '../../support/passkey-device.ts'
import { PASSWORD, sharedWorld, type TestPerson, type TestSchool } from '../../support/world.ts'

const PATH = '/account/passkeys'
const world = await sharedWorld()
const school = await world.aSchool()

async function aVisitor(at: TestSchool = school, person?: TestPerson) {
  const who = person ?? (await world.aMember(at))
  return { person: who, visitor: await signedIn(world, at, who) }
}

const passkeysIn = async ({ id }: TestPerson, at: TestSchool = school) =>
  await at.db
    .from('passkeys')
    .select(['id', 'name', 'backed_up'])
    .where('user_id', '=', id)
    .orderBy('created_at')
    .execute()

const auditOf = async ({ id }: TestPerson, at: TestSchool = school) =>
  (
    await at.db
      .from('audit_entries')
      .select('action')
      .where('actor_user_id', '=', id)
      .where('action', 'like', 'passkey.%')
      .orderBy('id')
      .execute()
  ).map(({ action }) => action)

const doneBy = (answer: { headers: Record<string, unknown> }) =>
  String(answer.headers.location).replace(`${PATH}?done=`, '')

/** One more passkey, as another browser might add it meanwhile. */
async function copyOne({ id }: TestPerson): Promise<void> {
  await world.database.pool.query(
    `insert into passkeys (school_id, id, user_id, credential_id, public_key, counter, transports, backup_eligible,
       backed_up, user_verified, name, last_challenge_at)
     select school_id, gen_random_uuid(), user_id, credential_id || '\\x01', public_key, counter, transports,
       backup_eligible, backed_up, user_verified, name, last_challenge_at
     from passkeys where user_id = $1 limit 1`,
    [id],
  )
}

describe('the list of passkeys', () => {
  test('grows, takes names and shrinks, and the audit log of the school says so', async () => {
    const { person, visitor } = await aVisitor()
    expect((await visitor.get(PATH)).body).toContain('You have no passkey here.')
    const [phone, key] = [
      new PasskeyDevice(school.origin, { isSynced: true }),
      new PasskeyDevice(school.origin),
    ]
    expect(doneBy(await addPasskey(visitor, phone))).toBe('added')
    expect(doneBy(await addPasskey(visitor, key))).toBe('added')
    const [first, second] = await passkeysIn(person)
    expect([first?.backed_up, second?.backed_up]).toEqual([true, false])
    const rename = `${PATH}/${second?.id}/rename`
    expect(doneBy(await submit(visitor, PATH, rename, { name: ' Blue\0 key ' }))).toBe('renamed')
    const page = (await visitor.get(`${PATH}?done=renamed`)).body
    expect(page).toContain('Blue key')
    expect(page).toContain('Synced')
    expect(page).toContain('On one device')
    expect(page).toContain('The name was changed.')
    const remove = `${PATH}/${first?.id}/remove`
    expect(doneBy(await submit(visitor, PATH, remove))).toBe('removed')
    expect((await passkeysIn(person)).map(({ name }) => name)).toEqual(['Blue key'])
    expect(await auditOf(person)).toEqual([
      'passkey.added',
      'passkey.added',
      'passkey.renamed',
      'passkey.removed',
    ])
    const gone = await signInWith(new Visitor(world, school), phone)
    expect(gone.statusCode).toBe(401)
  })

  test('tells the browser which passkeys exist, by the handle of the person', async () => {
    const { visitor } = await aVisitor()
    const device = new PasskeyDevice(school.origin)
    await addPasskey(visitor, device)
    const page = await visitor.get(PATH)
    const [, known = ''] = /data-passkeys-known="([^"]*)"/.exec(page.body) ?? []
    expect(JSON.parse(known.replaceAll('&quot;', '"'))).toEqual({
      rpId: new URL(school.origin).hostname,
      userId: questionOn(page).user?.id,
      allAcceptedCredentialIds: [device.credentialId],
    })
    expect(questionOn(page).excludeCredentials?.map(({ id }) => id)).toEqual([device.credentialId])
  })

  test('says that a passkey is for this school', async () => {
    const { visitor } = await aVisitor()
    expect((await visitor.get(PATH)).body).toContain('Another school needs its own')
  })

  test('ends at twenty', async () => {
    const { person, visitor } = await aVisitor()
    for (let many = 0; many < 19; many++) {
      const added = await addPasskey(visitor, new PasskeyDevice(school.origin))
      expect(doneBy(added)).toBe('added')
    }
    const page = await visitor.get(PATH)
    await copyOne(person)
    expect((await visitor.get(PATH)).body).toContain('You have 20 passkeys.')
    // The form of a page from before the last one was added.
    const fields = hiddenFields(page.body, PATH)
    const late = new PasskeyDevice(school.origin).make(questionOn(page))
    expect(doneBy(await visitor.post(PATH, { ...fields, passkey: late }))).toBe('too_many')
    expect(await passkeysIn(person)).toHaveLength(20)
  })

  test('keeps the only way in, also if two removals come at once', async () => {
    const { person, visitor } = await aVisitor()
    await addPasskey(visitor, new PasskeyDevice(school.origin))
    await addPasskey(visitor, new PasskeyDevice(school.origin))
    const keys = await passkeysIn(person)
    await world.database.db
      .updateTable('users')
      .set({ password_hash: null })
      .where('id', '=', person.id)
      .execute()
    const page = await visitor.get(PATH)
    const outcomes = await Promise.all(
      keys.map(({ id }) =>
        visitor.post(`${PATH}/${id}/remove`, hiddenFields(page.body, `${PATH}/${id}/remove`)),
      ),
    )
    expect(outcomes.map(doneBy).toSorted()).toEqual(['last_way_in', 'removed'])
    expect(await passkeysIn(person)).toHaveLength(1)
  })
})

describe('making a passkey', () => {
  test('is one click in the settings of the account too, and leads back there', async () => {
    const { visitor } = await aVisitor()
    const page = await visitor.get('/account/settings')
    const answer = await visitor.post(PATH, {
      ...hiddenFields(page.body, PATH),
      passkey: new PasskeyDevice(school.origin).make(questionOn(page)),
    })
    expect(answer.headers.location).toBe('/account/settings?done=passkey')
    const after = (await visitor.get('/account/settings?done=passkey')).body
    expect(after).toContain('Your passkey is ready.')
    expect(after).toContain('You have 1 passkey for this school.')
    expect(after).not.toContain('data-passkey="make"')
    expect((await visitor.get('/account')).body).not.toContain('data-passkey="make"')
  })

  test('happens without a person only just after a password, and never after one was removed', async () => {
    const { person, visitor } = await aVisitor()
    const silently = new PasskeyDevice(school.origin)
    const list = await visitor.get(PATH)
    expect(list.body).not.toContain('data-passkey-waits')
    const refused = await visitor.post(PATH, {
      ...hiddenFields(list.body, PATH),
      passkey: silently.make(questionOn(list), { present: false }),
    })
    expect(doneBy(refused)).toBe('refused')
    const page = await visitor.get('/account')
    expect(page.body).toContain('data-passkey-waits')
    const made = await visitor.post(PATH, {
      ...hiddenFields(page.body, PATH),
      passkey: silently.make(questionOn(page), { present: false, verified: false }),
    })
    expect(made.headers.location).toBe('/account?done=passkey')
    const [passkey] = await passkeysIn(person)
    await submit(visitor, PATH, `${PATH}/${passkey?.id}/remove`)
    expect((await visitor.get('/account')).body).not.toContain('data-passkey-waits')
    const another = await aVisitor()
    await world.database.pool.query(
      "update browser_sessions set authenticated_at = now() - interval '6 minutes' where user_id = $1",
      [another.person.id],
    )
    expect((await another.visitor.get('/account')).body).not.toContain('data-passkey-waits')
  })

  test('never waits on the pages between an app and its callback', async () => {
    const page = await new Visitor(world, school).get('/sign-in')
    expect(page.body).not.toContain('data-passkey="make"')
  })

  test.each([
    ['of another origin', { origin: 'https://evil.example' }],
    ['for another host', { rpId: 'evil.example' }],
    ['to another challenge', { challenge: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' }],
    ['to a sign-in', { type: 'webauthn.get' }],
    ['without a person', { present: false }],
  ])('with an answer %s adds nothing', async (_, use) => {
    const { person, visitor } = await aVisitor()
    const answer = await addPasskey(visitor, new PasskeyDevice(school.origin), use)
    expect(doneBy(answer)).toBe('refused')
    expect(await passkeysIn(person)).toEqual([])
    expect((await visitor.get(`${PATH}?done=refused`)).body).toContain('No passkey was added.')
  })

  test('a recorded answer does not bring a removed passkey back', async () => {
    const { person, visitor } = await aVisitor()
    const page = await visitor.get(PATH)
    const passkey = new PasskeyDevice(school.origin).make(questionOn(page))
    const fields = { ...hiddenFields(page.body, PATH), passkey }
    expect(doneBy(await visitor.post(PATH, fields))).toBe('added')
    const [made] = await passkeysIn(person)
    await submit(visitor, PATH, `${PATH}/${made?.id}/remove`)
    expect(doneBy(await visitor.post(PATH, fields))).toBe('expired')
    expect(await passkeysIn(person)).toEqual([])
  })

  test('two forms at once give the person one handle', async () => {
    const { person, visitor } = await aVisitor()
    const pages = [await visitor.get(PATH), await visitor.get(PATH)]
    const outcomes = await Promise.all(
      pages.map((page) =>
        visitor.post(PATH, {
          ...hiddenFields(page.body, PATH),
          passkey: new PasskeyDevice(school.origin).make(questionOn(page)),
        }),
      ),
    )
    expect(outcomes.map(doneBy).toSorted()).toEqual(['added', 'expired'])
    expect(await passkeysIn(person)).toHaveLength(1)
  })

  test('a passkey that another person registered is not taken over', async () => {
    const [ada, eve] = [await aVisitor(), await aVisitor()]
    const device = new PasskeyDevice(school.origin)
    await addPasskey(ada.visitor, device)
    const page = await eve.visitor.get(PATH)
    const made = JSON.parse(new PasskeyDevice(school.origin).make(questionOn(page)))
    // Only the id outside the signed data is another one: the device did not say so.
    const forged = { ...made, id: device.credentialId, rawId: device.credentialId }
    const answer = await eve.visitor.post(PATH, {
      ...hiddenFields(page.body, PATH),
      passkey: JSON.stringify(forged),
    })
    expect(doneBy(answer)).toBe('refused')
  })

  test('the form of one person does not work for another', async () => {
    const [ada, eve] = [await aVisitor(), await aVisitor()]
    const page = await ada.visitor.get(PATH)
    const passkey = new PasskeyDevice(school.origin).make(questionOn(page))
    const adas = hiddenFields(page.body, PATH)
    expect((await eve.visitor.post(PATH, { ...adas, passkey })).statusCode).toBe(403)
    const own = hiddenFields((await eve.visitor.get(PATH)).body, PATH)
    const mixed = { ...own, passkey_challenge: adas.passkey_challenge ?? '', passkey }
    expect(doneBy(await eve.visitor.post(PATH, mixed))).toBe('expired')
    expect(await passkeysIn(eve.person)).toEqual([])
  })
})

test('a session whose last proof is old neither shows, adds, renames nor removes passkeys', async () => {
  const { person, visitor } = await aVisitor()
  await addPasskey(visitor, new PasskeyDevice(school.origin))
  const [passkey] = await passkeysIn(person)
  const page = await visitor.get(PATH)
  const remove = `${PATH}/${passkey?.id}/remove`
  await world.database.pool.query(
    "update browser_sessions set authenticated_at = now() - interval '11 minutes' where user_id = $1",
    [person.id],
  )
  const confirm = `/confirm?return_to=${encodeURIComponent(PATH)}`
  expect((await visitor.get(PATH)).headers.location).toBe(confirm)
  const made = new PasskeyDevice(school.origin).make(questionOn(page))
  const added = await visitor.post(PATH, { ...hiddenFields(page.body, PATH), passkey: made })
  expect(added.headers.location).toBe(confirm)
  const asked = await visitor.post(remove, hiddenFields(page.body, remove))
  expect(asked.body).toContain('Confirm that it is you')
  expect((await visitor.get('/account')).body).not.toContain('data-passkey="make"')
  expect(await passkeysIn(person)).toEqual([passkey])
})

/** The second one needs the first, which works at its own school only. */
async function addToBoth(visitor: Visitor, elsewhere: Visitor, other: TestSchool): Promise<void> {
  const device = new PasskeyDevice(school.origin)
  await addPasskey(visitor, device)
  await proveForOther(elsewhere, PATH, device, visitor)
  await addPasskey(elsewhere, new PasskeyDevice(other.origin))
}

describe('across people and schools', () => {
  test('nobody renames or removes the passkey of another person, or of another school', async () => {
    const other = await world.aSchool()
    const ada = await aVisitor()
    const device = new PasskeyDevice(school.origin)
    await addPasskey(ada.visitor, device)
    const [passkey] = await passkeysIn(ada.person)
    const eve = await aVisitor()
    await world.aMember(other, ['owner'], ada.person)
    const elsewhere = await aVisitor(other, ada.person)
    await proveForOther(elsewhere.visitor, PATH, device, ada.visitor)
    for (const { visitor } of [eve, elsewhere]) {
      const { form_token: token = '' } = hiddenFields((await visitor.get('/account')).body, PATH)
      for (const act of ['rename', 'remove']) {
        const fields = { form_token: token, name: 'mine' }
        const answer = await visitor.post(`${PATH}/${passkey?.id}/${act}`, fields)
        expect(doneBy(answer)).toBe('unknown')
      }
      expect((await visitor.post(`${PATH}/nothing/remove`, { form_token: token })).statusCode).toBe(
        303,
      )
    }
    expect(await passkeysIn(ada.person)).toEqual([passkey])
  })

  test('a person has another handle at every school, so schools cannot compare people', async () => {
    const other = await world.aSchool()
    const { person, visitor } = await aVisitor()
    await world.aMember(other, ['student'], person)
    const elsewhere = await aVisitor(other, person)
    await addToBoth(visitor, elsewhere.visitor, other)
    const handles = [await visitor.get(PATH), await elsewhere.visitor.get(PATH)].map(
      (page) => questionOn(page).user?.id,
    )
    expect(new Set(handles).size).toBe(2)
    expect((await elsewhere.visitor.get(PATH)).body.match(/\/remove"/g)).toHaveLength(1)
  })

  test('a stranger is sent to sign in, and a forged form does nothing', async () => {
    const stranger = new Visitor(world, school)
    expect((await stranger.get(PATH)).headers.location).toBe(
      `/sign-in?return_to=${encodeURIComponent(PATH)}`,
    )
    const { visitor } = await aVisitor()
    for (const path of [PATH, `${PATH}/x/rename`, `${PATH}/x/remove`]) {
      expect((await visitor.post(path, { form_token: 'forged' })).statusCode).toBe(403)
    }
  })
})

describe('the rest of the account', () => {
  const change = (visitor: Visitor) =>
    submit(visitor, '/account/password', '/account/password', {
      current_password: PASSWORD,
      new_password: 'a much better password',
    })

  test('a new password keeps passkeys, at every school', async () => {
    const other = await world.aSchool()
    const { person, visitor } = await aVisitor()
    await world.aMember(other, ['student'], person)
    const elsewhere = await aVisitor(other, person)
    await addToBoth(visitor, elsewhere.visitor, other)
    expect((await change(visitor)).statusCode).toBe(303)
    expect(await passkeysIn(person)).toHaveLength(1)
    expect(await passkeysIn(person, other)).toHaveLength(1)
  })

  test('a passkey counts as a credential: a school that gave a role by itself mails no link', async () => {
    const { person, visitor } = await aVisitor()
    const evil = await world.aSchool()
    await evil.db.insert('school_members', { user_id: person.id, roles: ['student'] }).execute()
    await world.database.db
      .updateTable('users')
      .set({ password_hash: null })
      .where('id', '=', person.id)
      .execute()
    expect(await mintResetLink(evil.db, person.id)).toBeDefined()
    await addPasskey(visitor, new PasskeyDevice(school.origin))
    expect(await mintResetLink(evil.db, person.id)).toBeUndefined()
    expect(await mintResetLink(school.db, person.id)).toBeDefined()
  })

  test('a deleted person leaves no passkey and no handle', async () => {
    const { person, visitor } = await aVisitor()
    const device = new PasskeyDevice(school.origin)
    await addPasskey(visitor, device)
    await world.database.db
      .transaction()
      .execute((tx) => deletePerson(tx, person.id, { force: true }, { via: 'command_line' }))
    expect(await passkeysIn(person)).toEqual([])
    const handles = await school.db
      .from('passkey_handles')
      .select('handle')
      .where('user_id', '=', person.id)
      .execute()
    expect(handles).toEqual([])
    expect((await signInWith(new Visitor(world, school), device)).statusCode).toBe(401)
  })
})
