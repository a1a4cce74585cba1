import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { deletePerson } from '../../../src/domain/people/deletion/delete-person.ts'
import { purgePictures, setPicture } from '../../../src/domain/people/profile.ts'
import { cleanPicture } from '../../../src/foundation/pictures/clean-picture.ts'
import { createDiskStore } from '../../../src/foundation/storage/disk-store.ts'
import { Visitor } from '../../support/browser-like.ts'
import { aPair, userinfo } from '../../support/client-like.ts'
import { signedIn, submit } from '../../support/operator-like.ts'
import { aPng, pngChunk } from '../../support/pictures.ts'
import { type SentFile, uploadTo } from '../../support/uploading.ts'
import { aWorld, type TestPerson, type TestSchool } from '../../support/world.ts'

const folder = await mkdtemp(join(tmpdir(), 'schoolgate-files-'))
const store = createDiskStore(folder)
const world = await aWorld({ files: store })
afterAll(() => rm(folder, { recursive: true }))

const PAGE = '/account/profile'
const PICTURE = '/account/profile/picture'
const SECRET = 'GPS 48.8584 N 2.2945 E'

const { db } = world.database
const school = await world.aSchool()
const elsewhere = await world.aSchool()

async function avatarOf({ id }: TestPerson): Promise<string | null> {
  const row = db.selectFrom('users').select('avatar_url').where('id', '=', id)
  return (await row.executeTakeFirstOrThrow()).avatar_url
}

async function nameOf({ id }: TestPerson): Promise<string> {
  const row = db.selectFrom('users').select('name').where('id', '=', id)
  return (await row.executeTakeFirstOrThrow()).name
}

const upload = (visitor: Visitor, sent: SentFile) =>
  uploadTo(visitor, PICTURE, { field: 'picture', ...sent })

/** A person with a picture of their own, and its address. */
async function withPicture(at: TestSchool = school) {
  const person = await world.aMember(at)
  const visitor = await signedIn(world, at, person)
  const answer = await upload(visitor, { bytes: aPng(48) })
  expect(answer.headers.location).toBe(`${PAGE}?done=picture`)
  return { person, visitor, path: String(await avatarOf(person)) }
}

const picturesOf = ({ id }: TestPerson) =>
  db.selectFrom('person_pictures').selectAll().where('user_id', '=', id).execute()

const purge = async () => {
  await db
    .updateTable('person_pictures')
    .set({ unused_since: new Date(0) })
    .where('unused_since', 'is not', null)
    .execute()
  return await purgePictures(db, store)
}

describe('the name', () => {
  test('is changed at all schools, and the audit log does not have it', async () => {
    const ada = await world.aMember(school)
    await world.aMember(elsewhere, ['student'], ada)
    const visitor = await signedIn(world, school, ada)
    const answer = await submit(visitor, PAGE, PAGE, { name: '  Ada\u200b Lovelace ' })
    expect(answer.headers.location).toBe(`${PAGE}?done=name`)
    expect((await visitor.follow(answer)).body).toContain('Your name was changed')
    expect(await nameOf(ada)).toBe('Ada Lovelace')
    const other = await signedIn(world, elsewhere, ada)
    expect((await other.get('/account')).body).toContain('Ada Lovelace')
    const [entry] = await school.db
      .from('audit_entries')
      .select(['actor_user_id', 'detail'])
      .where('action', '=', 'person.profile_changed')
      .execute()
    expect(entry).toEqual({ actor_user_id: ada.id, detail: { changed: 'name' } })
  })

  test('that is empty, too long or two lines comes back as it was typed', async () => {
    const ada = await world.aMember(school)
    const visitor = await signedIn(world, school, ada)
    for (const name of ['', ' \u3164 ', 'a'.repeat(201), 'Ada\nAdmin']) {
      const answer = await submit(visitor, PAGE, PAGE, { name })
      expect(answer.statusCode, name).toBe(400)
      expect(answer.body).toContain('aria-invalid="true"')
    }
    expect(await nameOf(ada)).toBe(ada.name)
  })

  test('cannot be changed by a form that we did not serve, nor without a session', async () => {
    const ada = await world.aMember(school)
    const visitor = await signedIn(world, school, ada)
    const forged = await visitor.post(PAGE, { name: 'Mallory', form_token: 'made up' })
    expect(forged.statusCode).toBe(403)
    const anyone = await new Visitor(world, school).post(PAGE, { name: 'Mallory' })
    expect(anyone.headers.location).toContain('/sign-in')
    expect(await nameOf(ada)).toBe(ada.name)
  })
})

describe('the picture', () => {
  test('is served at the origin of every school, as a download that runs nothing', async () => {
    const { person, visitor, path } = await withPicture()
    expect(path).toMatch(/^\/pictures\/[0-9a-f-]{36}$/)
    for (const at of [school, elsewhere]) {
      const answer = await new Visitor(world, at).get(path)
      expect(answer.statusCode).toBe(200)
      expect(answer.rawPayload).toEqual(aPng(48))
      expect(answer.headers).toMatchObject({
        'content-type': 'image/png',
        'content-disposition': 'attachment',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
      })
    }
    expect((await visitor.get('/account')).body).toContain(`src="${path}"`)
    const pair = await aPair(world, school, await world.aPublicClient(school), person)
    const claims = (await userinfo(world, school, pair.access_token)).json()
    expect(claims.picture).toBe(school.origin + path)
  })

  test('loses the place where it was taken before it is stored', async () => {
    const ada = await world.aMember(school)
    const visitor = await signedIn(world, school, ada)
    const taken = aPng(48, 128, pngChunk('tEXt', Buffer.from(SECRET)))
    await upload(visitor, { bytes: taken, type: 'text/html', name: 'me.html' })
    const answer = await visitor.get(String(await avatarOf(ada)))
    expect(answer.rawPayload.includes(SECRET)).toBe(false)
    expect(answer.headers['content-type']).toBe('image/png')
  })

  test('that is none, too large, too wide or a page is refused, and nothing is stored', async () => {
    const ada = await world.aMember(school)
    const visitor = await signedIn(world, school, ada)
    const before = await readdir(folder)
    for (const [bytes, words] of [
      [Buffer.alloc(0), 'Choose a picture first'],
      [Buffer.from('<script>alert(1)</script>'), 'not a PNG, JPEG or WebP'],
      [aPng(48).subarray(0, 60), 'damaged'],
      [aPng(8), '16 to 4096 pixels'],
      [Buffer.concat([aPng(48), Buffer.alloc(256 * 1024)]), 'larger than 256 kB'],
    ] as const) {
      const answer = await upload(visitor, { bytes })
      expect(answer.statusCode, words).toBe(422)
      expect(answer.body).toContain(words)
    }
    expect(await avatarOf(ada)).toBe('/assets/mark.svg')
    expect(await picturesOf(ada)).toEqual([])
    expect(await readdir(folder)).toEqual(before)
  })

  test('cannot be changed by a form that we did not serve', async () => {
    const ada = await world.aMember(school)
    const visitor = await signedIn(world, school, ada)
    const answer = await upload(visitor, { bytes: aPng(48), token: 'made up' })
    expect(answer.statusCode).toBe(403)
    const cookieless = await upload(new Visitor(world, school), { token: 'made up' })
    expect(cookieless.headers.location).toContain('/sign-in')
    expect(await picturesOf(ada)).toEqual([])
  })

  test('that is replaced or removed is served no longer, and its bytes go', async () => {
    const { person, visitor, path } = await withPicture()
    await upload(visitor, { bytes: aPng(48, 7) })
    expect((await visitor.get(path)).statusCode).toBe(404)
    const second = String(await avatarOf(person))
    expect((await visitor.get(second)).rawPayload).toEqual(aPng(48, 7))
    await uploadTo(visitor, PICTURE, { field: 'other', fields: { remove: 'yes' } })
    expect(await avatarOf(person)).toBeNull()
    expect((await visitor.get(second)).statusCode).toBe(404)
    const keys = (await picturesOf(person)).map(({ storage_key }) => storage_key)
    expect(keys).toHaveLength(2)
    expect(await purge()).toBeGreaterThanOrEqual(2)
    expect(await picturesOf(person)).toEqual([])
    for (const key of keys) expect(await store.read(key)).toBeUndefined()
  })

  test('that is in use is left alone by the purge', async () => {
    const { visitor, path } = await withPicture()
    await purge()
    expect((await visitor.get(path)).statusCode).toBe(200)
  })

  test('of a process that died while it stored the bytes is removed', async () => {
    const ada = await world.aMember(school)
    const picture = cleanPicture(aPng(48))
    if (typeof picture === 'string') throw new Error(picture)
    const dying = {
      ...store,
      write: async (...args: Parameters<typeof store.write>) => {
        await store.write(...args)
        throw new Error('the process died')
      },
    }
    await expect(setPicture(school.db, dying, ada.id, picture, 'r')).rejects.toThrow('died')
    const [row] = await picturesOf(ada)
    expect(await avatarOf(ada)).toBe('/assets/mark.svg')
    await purge()
    expect(await picturesOf(ada)).toEqual([])
    expect(await store.read(row?.storage_key ?? '')).toBeUndefined()
  })

  test('of a deleted person is gone at once', async () => {
    const { person, path } = await withPicture()
    await db
      .transaction()
      .execute((tx) => deletePerson(tx, person.id, { force: true }, { via: 'command_line' }))
    expect((await new Visitor(world, elsewhere).get(path)).statusCode).toBe(404)
  })

  test('cannot be changed so often that pictures fill the store', async () => {
    const ada = await world.aMember(school)
    const visitor = await signedIn(world, school, ada)
    for (let time = 0; time < 20; time += 1) await upload(visitor, { bytes: aPng(16, time) })
    const answer = await upload(visitor, { bytes: aPng(16, 99) })
    expect(answer.statusCode).toBe(429)
    expect(answer.body).toContain('Try again in an hour')
    expect(await picturesOf(ada)).toHaveLength(20)
  })

  test('is not shown to a school where the person has never signed in', async () => {
    const { person } = await withPicture(elsewhere)
    await school.db
      .insert('school_members', { user_id: person.id, roles: ['student'], typed_name: 'Typed' })
      .execute()
    const owner = await signedIn(world, school, await world.aMember(school, ['owner']))
    const { body } = await owner.get(`/admin/members/${person.id}`)
    expect(body).toContain('Typed')
    expect(body).not.toContain('/pictures/')
  })

  test('cannot be uploaded where the server stores no files, and the page says so', async () => {
    const bare = await aWorld()
    const own = await bare.aSchool()
    const visitor = await signedIn(bare, own, await bare.aMember(own))
    const { body } = await visitor.get(PAGE)
    expect(body).toContain('You cannot upload a picture on this server')
    expect(body).not.toContain('type="file"')
  })
})
