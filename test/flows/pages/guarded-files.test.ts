import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { createDiskStore } from '../../../src/foundation/storage/disk-store.ts'
import { anOperator } from '../../support/admin-api.ts'
import { type Answer, Visitor } from '../../support/browser-like.ts'
import { aCourse, anEnrollment, aProductOf } from '../../support/learning.ts'
import { anOwner, signedIn } from '../../support/operator-like.ts'
import { PNG } from '../../support/uploading.ts'
import { aWorld } from '../../support/world.ts'

const folder = await mkdtemp(join(tmpdir(), 'schoolgate-files-'))
const world = await aWorld({ files: createDiskStore(folder) })
const school = await world.aSchool()
const operator = await anOperator(world, school)
const SECRET = 'what only buyers read'
const host = new URL(school.origin).host
const authorization = `Bearer ${operator.accessToken}`

afterAll(() => rm(folder, { recursive: true, force: true }))

async function anUpload(type = 'text/plain'): Promise<{ id: string; path: string; sha: string }> {
  const uploaded = await world.app.inject({
    method: 'POST',
    url: '/api/v1/files?name=secret',
    headers: { host, authorization, 'content-type': type },
    payload: type === 'image/png' ? PNG : SECRET,
  })
  expect(uploaded.statusCode, uploaded.body).toBe(201)
  const { id, sha256 } = uploaded.json()
  return { id, path: `/files/${id}`, sha: sha256 }
}

async function aSoldFile(type?: string) {
  const ada = await world.aMember(school)
  const product = await aProductOf(school, ada)
  const file = await anUpload(type)
  const before = await new Visitor(world, school).get(file.path)
  expect(before.statusCode).toBe(200)
  expect(before.headers['cache-control']).toContain('public')
  const changed = await operator.patch(`/digital-products/${product.id}`, { file_id: file.id })
  expect(changed.statusCode, changed.body).toBe(200)
  return { ...file, ada, product }
}

async function aTaughtFile() {
  const course = await aCourse(school, [[{}]])
  const lecture = course.lectures[0]?.[0] ?? ''
  const file = await anUpload()
  const change = { kind: 'file', file_id: file.id }
  expect((await operator.patch(`/lectures/${lecture}`, change)).statusCode).toBe(200)
  return { ...file, course, lecture, page: `/courses/${course.slug}/lectures/${lecture}` }
}

/** The same answer as for a file that was never there. */
async function expectNothing(answer: Answer): Promise<void> {
  expect(answer.statusCode).toBe(404)
  expect(answer.body).not.toContain(SECRET)
  for (const header of ['etag', 'content-disposition', 'location']) {
    expect(answer.headers).not.toHaveProperty(header)
  }
}

describe('a file of a lecture or a product', () => {
  test('is downloaded by its students and buyers where it is, and by no one at its own address', async () => {
    const sold = await aSoldFile()
    const buyer = await signedIn(world, school, sold.ada)
    expect((await buyer.get(`/products/${sold.product.slug}/file`)).body).toBe(SECRET)
    await expectNothing(await buyer.get(sold.path))

    const taught = await aTaughtFile()
    const grace = await world.aMember(school)
    await anEnrollment(school, grace, taught.course)
    const student = await signedIn(world, school, grace)
    expect((await student.get(`${taught.page}/file`)).body).toBe(SECRET)
    await expectNothing(await student.get(taught.path))
  })

  test('is opened from the admin area by owners and admins, and no cache keeps it', async () => {
    const { path } = await aTaughtFile()
    const admin = await signedIn(world, school, await world.aMember(school, ['admin']))
    for (const visitor of [await anOwner(world, school), admin]) {
      const answer = await visitor.get(path)
      expect(answer.body).toBe(SECRET)
      expect(answer.headers['cache-control']).toBe('private, no-store')
      expect(answer.headers).not.toHaveProperty('etag')
      expect(answer.headers['content-security-policy']).toContain('sandbox')
    }
  })

  test('stays closed while its lecture is a text, and its product archived', async () => {
    const taught = await aTaughtFile()
    await operator.patch(`/lectures/${taught.lecture}`, { kind: 'text' })
    const sold = await aSoldFile()
    await operator.post(`/digital-products/${sold.product.id}/archive`)
    for (const { path } of [taught, sold]) {
      await expectNothing(await new Visitor(world, school).get(path))
    }
  })

  test('stays public as a picture that visitors see: the logo, or the cover of a public course', async () => {
    const visitor = new Visitor(world, school)
    const logo = await aSoldFile('image/png')
    await expectNothing(await visitor.get(logo.path))
    await operator.patch('/appearance', { logo_file_id: logo.id })
    expect((await visitor.get(logo.path)).rawPayload.equals(PNG)).toBe(true)

    const cover = await aSoldFile('image/png')
    const course = await aCourse(school)
    await operator.patch(`/courses/${course.id}`, { cover_file_id: cover.id })
    expect((await visitor.get(cover.path)).headers['cache-control']).toContain('public')
    await operator.post(`/courses/${course.id}/archive`)
    await expectNothing(await visitor.get(cover.path))
  })

  test('a picture that no lecture and no product had stays public after another one replaces it', async () => {
    const [before, after] = [await anUpload('image/png'), await anUpload('image/png')]
    const course = await aCourse(school)
    for (const { id } of [before, after]) {
      await operator.patch('/appearance', { logo_file_id: id })
      await operator.patch(`/courses/${course.id}`, { cover_file_id: id })
    }
    const answer = await new Visitor(world, school).get(before.path)
    expect(answer.headers['cache-control']).toContain('public')
    expect(answer.rawPayload.equals(PNG)).toBe(true)
  })
})

describe('attacks on a paid download by the address of its file', () => {
  test('HEAD, a range, an ETag from before the sale, and the id in capital letters', async () => {
    const { id, path, sha } = await aSoldFile()
    const visitor = new Visitor(world, school)
    await expectNothing(await world.app.inject({ method: 'HEAD', url: path, headers: { host } }))
    await expectNothing(await visitor.get(path, { range: 'bytes=0-3' }))
    await expectNothing(await visitor.get(path, { 'if-none-match': `"${sha}"` }))
    await expectNothing(await visitor.get(path, { 'if-range': `"${sha}"`, range: 'bytes=0-3' }))
    await expectNothing(await visitor.get(`/files/${id.toUpperCase()}`))
    await expectNothing(await visitor.get(`${path}?preview=1`))
  })

  test('the address is kept until another file replaces it, or its lecture, section or product is gone', async () => {
    const sold = await aSoldFile()
    const lectures = [await aTaughtFile(), await aTaughtFile(), await aTaughtFile()] as const
    const [replaced, deleted, ofSection] = lectures
    const { id } = await anUpload()
    const emptied = await aSoldFile()
    const { section_id } = (await operator.get(`/lectures/${ofSection.lecture}`)).json()
    const answers = [
      await operator.patch(`/digital-products/${sold.product.id}`, { file_id: id }),
      await operator.patch(`/digital-products/${emptied.product.id}`, { file_id: null }),
      await operator.patch(`/lectures/${replaced.lecture}`, { file_id: id }),
      await operator.send('DELETE', `/lectures/${deleted.lecture}`),
      await operator.send('DELETE', `/sections/${section_id}`),
    ]
    expect(answers.filter(({ statusCode }) => statusCode !== 200)).toEqual([])

    const [visitor, owner] = [new Visitor(world, school), await anOwner(world, school)]
    const buyer = await signedIn(world, school, sold.ada)
    for (const { path } of [sold, emptied, ...lectures]) {
      await expectNothing(await visitor.get(path))
      await expectNothing(await buyer.get(path))
      expect((await owner.get(path)).body).toBe(SECRET)
    }
  })

  test('a token of an app, also one of an owner', async () => {
    const { path } = await aSoldFile()
    await expectNothing(await new Visitor(world, school).get(path, { authorization }))
  })

  test('a lecturer, an owner of another school, and one who is an owner no longer', async () => {
    const { path } = await aSoldFile()
    const other = await world.aSchool()
    const eve = await world.aMember(other, ['owner'])
    await school.db.insert('school_members', { user_id: eve.id, roles: ['student'] }).execute()
    const former = await world.aMember(school, ['admin'])
    const visitors = [
      await signedIn(world, school, await world.aMember(school, ['lecturer'])),
      await signedIn(world, school, eve),
      await signedIn(world, school, former),
      await signedIn(world, other, eve),
    ]
    expect((await visitors[2]?.get(path))?.body).toBe(SECRET)
    await school.db
      .update('school_members')
      .set({ roles: ['student'] })
      .where('user_id', '=', former.id)
      .execute()
    for (const visitor of visitors) await expectNothing(await visitor.get(path))
  })

  test('a file that is no picture is made a cover: it stays closed', async () => {
    const { id, path } = await aSoldFile()
    const course = await aCourse(school)
    const changed = await operator.patch(`/courses/${course.id}`, { cover_file_id: id })
    expect(changed.statusCode).toBe(200)
    await expectNothing(await new Visitor(world, school).get(path))
  })

  test('an owner without the second factor that the school demands', async () => {
    const { path } = await aSoldFile()
    const owner = await anOwner(world, school)
    const demand = async (from: Date | null) => {
      const change = { operator_factor_from: from }
      const { db } = world.database
      await db.updateTable('schools').set(change).where('id', '=', school.id).execute()
      world.context.directory.forget(school.id)
    }
    await demand(new Date(Date.now() - 3_600_000))
    const answer = await owner.get(path)
    await demand(null)
    expect(answer.statusCode).toBe(403)
    expect(answer.body).not.toContain(SECRET)
    expect((await owner.get(path)).body).toBe(SECRET)
  })
})
