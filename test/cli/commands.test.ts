import { describe, expect, test } from 'vitest'
import { filledIn } from '../../src/domain/clients/assistants.ts'
import { findClient } from '../../src/domain/clients/client.ts'
import { rolesAt } from '../../src/domain/people/membership.ts'
import { findPersonByEmail } from '../../src/domain/people/person.ts'
import { signIn } from '../../src/domain/people/sign-in.ts'
import { findSchoolByOrigin } from '../../src/domain/schools/school.ts'
import { findSigner } from '../../src/domain/schools/signing.ts'
import { sha256 } from '../../src/foundation/crypto/digest.ts'
import { uuidv7 } from '../../src/foundation/crypto/random.ts'
import { Keyring } from '../../src/foundation/crypto/seal.ts'
import { atSchool } from '../../src/foundation/db/school-db.ts'
import { testDatabase } from '../support/database.ts'
import { environmentOf, run, SECRET } from './support/run.ts'

const database = await testDatabase()
const env = environmentOf(database.connection)
const schoolgate = (...argv: string[]) => run([...argv, '--json'], env)

await schoolgate(
  'school',
  'create',
  '--subdomain',
  'north',
  '--origin',
  'https://north.example',
  '--name',
  'North',
)
const school = await findSchoolByOrigin(database.db, 'https://north.example')
if (school === undefined) throw new Error('school create made no school')
const db = atSchool(database.db, school.id)

const client = (...more: string[]) =>
  schoolgate(
    ...['client', 'create', '--school', 'north', '--name', 'Planner'],
    ...['--redirect-uri', 'https://planner.example/callback', '--scopes', 'openid account:read'],
    ...more,
  )

describe('school', () => {
  test('list shows the results of create and set', async () => {
    const set = await schoolgate(
      'school',
      'set',
      'north',
      '--mcp-connections',
      'on',
      '--contact-email',
      'a@north.example',
    )
    expect(set.json.school).toMatchObject({ subdomain: 'north', mcpConnections: true })
    const { json } = await schoolgate('school', 'list')
    expect(json.schools).toMatchObject([{ subdomain: 'north', mcpConnections: true }])
    const text = await run(['school', 'list'], env)
    expect(text.stdout).toMatch(
      /subdomain +origin .*\nnorth +https:\/\/north\.example +North +newer +no +yes +no\n/,
    )
  })

  test('delete asks for the subdomain, and the origin answers no more', async () => {
    const origin = 'https://old.example'
    await schoolgate(
      ...['school', 'create', '--subdomain', 'old', '--origin', origin, '--name', 'Old'],
    )
    const wrong = await schoolgate('school', 'delete', 'old', '--confirm', 'north')
    expect(wrong).toMatchObject({
      code: 1,
      json: { remedy: 'if it is the right school, add --confirm old' },
    })
    expect(wrong.json.error).toContain('the subdomain of https://old.example is old, not "north"')
    expect(await findSchoolByOrigin(database.db, origin)).toBeDefined()
    const { json } = await schoolgate('school', 'delete', origin, '--confirm', 'old')
    expect(json).toMatchObject({ deleted: 'old' })
    expect(await findSchoolByOrigin(database.db, origin)).toBeUndefined()
    const again = await schoolgate('school', 'delete', 'old', '--confirm', 'old')
    expect(again).toMatchObject({ code: 1, json: { error: 'There is no school "old".' } })
  })

  test('an empty contact removes it', async () => {
    await schoolgate('school', 'set', 'north', '--contact-email', '')
    const row = await database.db.selectFrom('schools').select('contact_email').executeTakeFirst()
    expect(row).toEqual({ contact_email: null })
  })

  test('a wrong value is a usage error that names the option', async () => {
    const refused = await schoolgate(
      'school',
      'set',
      'north',
      '--origin',
      'http://north.example',
      '--time-zone',
      'Nowhere',
    )
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    expect(refused.json.error).toMatch(/--origin: Use https.*\n--time-zone: /s)
    expect(refused.json.remedy).toBeTruthy()
  })

  test('set without any option is a usage error', async () => {
    expect(await schoolgate('school', 'set', 'north')).toMatchObject({ code: 2 })
    const client = await schoolgate('client', 'set', '--school', 'north', 'any')
    expect(client).toMatchObject({ code: 2, json: { error: expect.stringContaining('Nothing') } })
  })

  test('a subdomain that is taken is refused', async () => {
    const taken = await schoolgate(
      'school',
      'create',
      '--subdomain',
      'north',
      '--origin',
      'https://x.example',
      '--name',
      'x',
    )
    expect(taken).toMatchObject({ code: 1, json: { error: expect.stringContaining('subdomain') } })
  })

  test('an unknown school is refused with the list of known ones', async () => {
    const unknown = await schoolgate('keys', 'list', '--school', 'south')
    expect(unknown).toMatchObject({ code: 1, json: { remedy: 'choose one of: north' } })
  })
})

describe('user', () => {
  const create = (email: string, password?: string) =>
    run(
      [
        'user',
        'create',
        '--json',
        '--school',
        'north',
        '--email',
        email,
        '--name',
        'Ada',
        '--roles',
        'owner',
        ...(password === undefined ? [] : ['--password-stdin']),
      ],
      env,
      password,
    )
  const attempt = (email: string, password: string) =>
    signIn(database.db, Buffer.alloc(32), {
      email,
      password,
      address: '192.0.2.7',
      schoolId: 'any',
    })

  test('a password is read from stdin without its line break, and never printed', async () => {
    const made = await create('ada@north.example', 'a long enough password\n')
    expect(made).toMatchObject({ code: 0, json: { created: true, roles: ['owner'] } })
    expect(made.stdout + made.stderr).not.toContain('long enough')
    expect(await attempt('ada@north.example', 'a long enough password')).toMatchObject({
      kind: 'signed_in',
    })
  })

  test('an existing account gets the role and keeps its password, and the output says so', async () => {
    const again = await create('ADA@north.example', 'the password of an intruder')
    expect(again).toMatchObject({ code: 0, json: { created: false } })
    expect(await attempt('ada@north.example', 'the password of an intruder')).toEqual({
      kind: 'refused',
    })
  })

  test('a password that is too short is refused before any write', async () => {
    expect(await create('short@north.example', 'short')).toMatchObject({ code: 2 })
    const unknown = await schoolgate('user', 'delete', '--email', 'short@north.example')
    expect(unknown).toMatchObject({
      code: 1,
      json: { error: expect.stringContaining('No person') },
    })
  })

  test('a password can be set again for a member, and ends what the old one gave', async () => {
    const made = await create('lost@north.example', 'the first of two passwords')
    const set = (password: string) =>
      run(
        [
          ...['user', 'password', '--json', '--school', 'north'],
          ...['--email', 'LOST@north.example', '--password-stdin'],
        ],
        env,
        password,
      )
    expect(await set('password12345678')).toMatchObject({ code: 2 })
    expect(await set('the second of two passwords')).toMatchObject({
      code: 0,
      json: { userId: made.json.userId },
    })
    const kinds = []
    for (const password of ['the first of two passwords', 'the second of two passwords']) {
      kinds.push((await attempt('lost@north.example', password)).kind)
    }
    expect(kinds).toEqual(['refused', 'signed_in'])
    const { rows } = await database.pool.query(
      "select detail, subject from audit_entries where action = 'person.password_changed'",
    )
    expect(rows).toEqual([{ detail: { via: 'command_line' }, subject: made.json.userId }])
    const gone = await schoolgate('user', 'delete', '--email', 'lost@north.example')
    expect(gone).toMatchObject({ code: 0 })
  })

  test('everything of a person ends at once, with a reason that no school reads', async () => {
    const email = 'hacked@north.example'
    const made = await create(email, 'known to a thief by now')
    const end = (...more: string[]) =>
      schoolgate('user', 'end-everything', '--email', email, ...more)
    expect(await end()).toMatchObject({ code: 2 })
    const ended = await end('--reason', 'reported by telephone')
    expect(ended).toMatchObject({ code: 0, json: { userId: made.json.userId, email } })
    expect(await attempt(email, 'known to a thief by now')).toEqual({ kind: 'refused' })
    const { rows } = await database.pool.query(
      `select school_id is null as of_installation, action, detail from audit_entries
       where subject = $1 and action like 'person.%ed' and action <> 'person.created' order by action`,
      [made.json.userId],
    )
    expect(rows).toEqual([
      {
        of_installation: true,
        action: 'person.everything_ended',
        detail: { reason: 'reported by telephone', via: 'command_line' },
      },
      {
        // The person has signed in at no school, so none is told.
        of_installation: true,
        action: 'person.password_changed',
        detail: { by: 'end_everything', via: 'command_line' },
      },
    ])
    const unknown = ['--email', 'nobody@north.example', '--reason', 'x']
    expect(await schoolgate('user', 'end-everything', ...unknown)).toMatchObject({
      code: 1,
      json: { error: expect.stringContaining('No person') },
    })
    expect(await schoolgate('user', 'delete', '--email', email)).toMatchObject({ code: 0 })
  })

  test('no option accepts a password', async () => {
    const argv = [
      '--school',
      'north',
      '--email',
      'x@north.example',
      '--name',
      'x',
      '--roles',
      'owner',
    ]
    const refused = await schoolgate('user', 'create', ...argv, '--password', 'typed by mistake')
    expect(refused).toMatchObject({ code: 2, json: { error: "unknown option '--password'" } })
    expect(refused.stderr).not.toContain('typed by mistake')
  })

  test('roles are given and removed, and the last owner cannot be removed', async () => {
    const made = await create('ben@north.example')
    const role = (roles: string) =>
      schoolgate(
        'user',
        'role',
        '--school',
        'north',
        '--email',
        'ben@north.example',
        '--roles',
        roles,
      )
    expect(await role('lecturer, student')).toMatchObject({ code: 0, json: { before: ['owner'] } })
    expect(await rolesAt(db, made.json.userId)).toEqual(['lecturer', 'student'])
    expect(await role('none')).toMatchObject({ code: 0 })
    expect(await rolesAt(db, made.json.userId)).toEqual([])
    expect(await role('king')).toMatchObject({ code: 2 })
    const ada = [
      'user',
      'role',
      '--school',
      'north',
      '--email',
      'ada@north.example',
      '--roles',
      'student',
    ]
    expect(await schoolgate(...ada)).toMatchObject({
      code: 1,
      json: { error: expect.stringContaining('only owner') },
    })
  })

  test('set-email gives another address with a reason, ends sessions and ways to undo, and tells the old address', async () => {
    const made = await create('moves@north.example')
    const userId = made.json.userId
    await db
      .update('school_members')
      .set({ signed_in_at: new Date() })
      .where('user_id', '=', userId)
      .execute()
    const emails = { old_email: 'older@north.example', new_email: 'moves@north.example' }
    const change = { id: uuidv7(), user_id: userId, changed_at: new Date(), ...emails }
    await db.insert('email_changes', change).execute()
    const move = (old: string, next: string, ...argv: string[]) =>
      schoolgate('user', 'set-email', old, '--to', next, ...argv)
    const [from, to] = ['moves@north.example', 'Moved@home.example']
    expect(await move(from, to)).toMatchObject({ code: 2 })
    const reason = ['--reason', 'has lost the mailbox']
    expect(await move('nobody@north.example', to, ...reason)).toMatchObject({ code: 1 })
    expect(await move(from, 'no address', ...reason)).toMatchObject({ code: 2 })
    expect(await move(from, 'ada@north.example', ...reason)).toMatchObject({
      code: 1,
      json: { error: expect.stringContaining('Another person') },
    })
    expect(await move(from, to, ...reason)).toMatchObject({ code: 0, json: { userId } })
    const person = await findPersonByEmail(database.db, 'moved@home.example')
    expect(person?.id).toBe(userId)
    const { rows } = await database.pool.query(
      `select (select ended_at is not null from email_changes where user_id = $1) as ended,
         (select kind || ' ' || email from outgoing_mails where email = 'moves@north.example') as mail,
         (select detail from audit_entries where action = 'person.email_changed' and school_id is null) as detail`,
      [userId],
    )
    expect(rows).toEqual([
      {
        ended: true,
        mail: 'email_set moves@north.example',
        detail: { reason: 'has lost the mailbox', via: 'command_line' },
      },
    ])
    expect(await schoolgate('user', 'delete', '--email', to)).toMatchObject({ code: 0 })
    const left = await database.pool.query('select 1 from email_changes where user_id = $1', [
      userId,
    ])
    expect(left.rows).toEqual([])
  })

  test('invite queues an invitation, once an hour, to a member who has not signed in', async () => {
    await create('guest@north.example')
    const invite = (email: string) =>
      schoolgate('user', 'invite', '--school', 'north', '--email', email)
    expect(await invite('nobody@north.example')).toMatchObject({ code: 1 })
    expect(await invite('guest@north.example')).toMatchObject({ code: 0 })
    expect(await invite('guest@north.example')).toMatchObject({
      code: 1,
      json: { error: expect.stringContaining('60 minutes') },
    })
    const queued = await db
      .from('outgoing_mails')
      .select('kind')
      .where('email', '=', 'guest@north.example')
      .execute()
    expect(queued).toEqual([{ kind: 'invitation' }])
  })

  test('delete erases a person and counts what ended', async () => {
    await create('gone@north.example')
    const gone = await schoolgate('user', 'delete', '--email', 'gone@north.example')
    expect(gone).toMatchObject({ code: 0, json: { schools: 1, sessions: 0, authorizations: 0 } })
  })
})

describe('client', () => {
  test('a secret is shown only when it is created or rotated', async () => {
    const made = await client('--confidential', '--id', 'planner')
    const { clientId, clientSecret } = made.json
    expect((await findClient(db, clientId))?.secretHash).toEqual(sha256(clientSecret))
    const rotated = await schoolgate('client', 'rotate-secret', '--school', 'north', clientId)
    expect(rotated.json.clientSecret).not.toBe(clientSecret)
    expect((await findClient(db, clientId))?.secretHash).toEqual(sha256(rotated.json.clientSecret))
    expect((await findClient(db, clientId))?.oldSecretHash).toEqual(sha256(clientSecret))
    const { oldSecretExpiresAt } = rotated.json
    expect(Date.parse(oldSecretExpiresAt)).not.toBeNaN()
    const list = await schoolgate('client', 'list', '--school', 'north')
    expect(list.stdout).not.toContain('sg_cs_')
    expect(list.json.clients).toContainEqual(
      expect.objectContaining({ clientId: 'planner', confidential: true, oldSecretExpiresAt }),
    )
    const text = await run(['client', 'list', '--school', 'north'], env)
    expect(text.stdout).toContain(`old secret until ${oldSecretExpiresAt}`)
    const end = () => schoolgate('client', 'end-old-secret', '--school', 'north', clientId)
    expect(await end()).toMatchObject({ json: { changed: true } })
    expect(await end()).toMatchObject({ json: { changed: false } })
    const leaked = ['client', 'rotate-secret', '--school', 'north', clientId, '--end-old']
    expect((await schoolgate(...leaked)).json.oldSecretExpiresAt).toBeNull()
    expect((await findClient(db, clientId))?.oldSecretHash).toBeUndefined()
  })

  test('set, disable, enable and delete change the client', async () => {
    const { clientId } = (await client()).json
    const act = (name: string, ...more: string[]) =>
      schoolgate('client', name, '--school', 'north', clientId, ...more)
    const uris = ['https://a.example/cb', 'https://b.example/cb']
    expect(await act('set', ...uris.flatMap((uri) => ['--redirect-uri', uri]))).toMatchObject({
      code: 0,
    })
    expect((await findClient(db, clientId))?.redirectUris).toEqual(uris)
    const setAfter = async (...given: string[]) => {
      await act('set', ...given.flatMap((uri) => ['--post-logout-redirect-uri', uri]))
      return (await findClient(db, clientId))?.postLogoutRedirectUris
    }
    expect(await setAfter('https://a.example/', 'https://b.example/')).toEqual([
      'https://a.example/',
      'https://b.example/',
    ])
    expect(await setAfter('')).toEqual([])
    expect(await act('set', '--scopes', 'courses:write')).toMatchObject({ code: 2 })
    expect(await act('disable')).toMatchObject({ json: { changed: true } })
    expect(await findClient(db, clientId)).toMatchObject({ disabled: true })
    expect(await act('enable')).toMatchObject({ json: { changed: true } })
    expect(await act('enable')).toMatchObject({ json: { changed: false } })
    expect(await act('review')).toMatchObject({ code: 1 })
    expect(await act('withdraw-review')).toMatchObject({ code: 1 })
    expect(await act('end-old-secret')).toMatchObject({ code: 1 })
    expect(await act('end-access')).toMatchObject({ json: { people: 0 } })
    expect(await act('delete')).toMatchObject({ json: { people: 0 } })
    expect(await act('delete')).toMatchObject({ code: 1 })
  })

  test('create registers redirect URIs after sign-out, and refuses wrong ones', async () => {
    const option = '--post-logout-redirect-uri'
    const made = await client(option, 'https://planner.example/')
    expect(made.json.postLogoutRedirectUris).toEqual(['https://planner.example/'])
    expect(await client(option, 'https://planner.example/#x')).toMatchObject({
      code: 2,
      json: { error: expect.stringMatching(/^--post-logout-redirect-uri: https:/) },
    })
  })

  test('create --assistant makes what the page makes; what is typed replaces what the template has', async () => {
    const create = (...more: string[]) =>
      schoolgate('client', 'create', '--school', 'north', ...more)
    const made = await create('--assistant', 'codex')
    const filled = filledIn('codex', 'https://north.example')
    const [row] = await db
      .from('clients')
      .selectAll()
      .where('client_id', '=', made.json.clientId)
      .execute()
    expect(row).toMatchObject({
      name: 'Codex',
      assistant: 'codex',
      redirect_uris: filled.redirectUris,
      scopes: filled.scopes.toSorted(),
      confidential: false,
    })
    const other = await create(
      '--assistant',
      'claude',
      '--name',
      'Ours',
      '--scopes',
      'account:read',
    )
    expect(await findClient(db, other.json.clientId)).toMatchObject({ name: 'Ours' })
    expect(other.json.scopes).toEqual(['account:read'])
    expect(await create('--assistant', 'claude', '--confidential')).toMatchObject({ code: 2 })
    expect(await create('--assistant', 'siri')).toMatchObject({ code: 2 })
    expect(await create('--name', 'Planner')).toMatchObject({
      code: 2,
      json: { error: '--redirect-uri is missing.' },
    })
  })

  test('wrong redirect URIs are refused with the option name', async () => {
    const refused = await client('--redirect-uri', 'http://planner.example/x')
    expect(refused).toMatchObject({
      code: 2,
      json: { error: expect.stringMatching(/^--redirect-uri: http:/) },
    })
  })
})

describe('keys', () => {
  test('are published, activated after their waiting time or by --force, and retired', async () => {
    const on = (name: string, ...more: string[]) =>
      schoolgate('keys', name, '--school', 'north', ...more)
    const first = (await on('publish')).json.kid
    const early = await on('activate', first)
    expect(early).toMatchObject({ code: 1, json: { error: expect.stringContaining(first) } })
    expect(early.json.remedy).toMatch(/wait until \d{4}-.*--force/)
    expect(await on('activate', first, '--force')).toMatchObject({
      code: 0,
      json: { retired: null },
    })
    const signing = await findSchoolByOrigin(database.db, 'https://north.example')
    expect(signing && findSigner(signing, new Keyring(SECRET))?.({ sub: 'x' })).toBeTruthy()
    const second = (await on('publish')).json.kid
    expect(await on('activate', second, '--force')).toMatchObject({ json: { retired: first } })
    expect(await on('retire', second)).toMatchObject({ code: 1 })
    expect(await on('retire', second, '--force')).toMatchObject({ code: 0 })
    expect(await on('retire', 'unknown')).toMatchObject({ code: 1 })
    const { json } = await on('list')
    expect(json.keys.map(({ stage }: { stage: string }) => stage)).toEqual(['retired', 'retired'])
  })

  test('a key that was sealed with another secret is not activated', async () => {
    const { json } = await schoolgate('keys', 'publish', '--school', 'north')
    await database.db
      .updateTable('signing_keys')
      .set({ sealed_private_key: Buffer.alloc(80) })
      .where('kid', '=', json.kid)
      .execute()
    const other = await schoolgate('keys', 'activate', '--school', 'north', json.kid, '--force')
    expect(other).toMatchObject({
      code: 1,
      json: { error: expect.stringContaining('cannot be decrypted') },
    })
  })
})

describe('purge and migrate', () => {
  test('purge prints the number of deleted rows by name', async () => {
    const { code, json } = await schoolgate('purge')
    expect(code).toBe(0)
    expect(Object.keys(json.removed)).toContain('token_pairs')
    expect((await run(['purge'], env)).stdout).toMatch(/^what +rows\n/)
  })

  test('migrate on an up-to-date database does nothing', async () => {
    expect(await schoolgate('migrate')).toMatchObject({ code: 0, json: { applied: [] } })
  })
})

test('every change is in the audit with the command line as its author', async () => {
  const rows = await database.db.selectFrom('audit_entries').select(['action', 'detail']).execute()
  expect(rows.length).toBeGreaterThan(10)
  for (const { detail } of rows) expect(detail).toMatchObject({ via: 'command_line' })
  expect(JSON.stringify(rows)).not.toContain('sg_cs_')
})
