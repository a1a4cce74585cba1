import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { createDiskStore } from '../../../src/foundation/storage/disk-store.ts'
import { anOperator } from '../../support/admin-api.ts'
import { Visitor } from '../../support/browser-like.ts'
import { aCourse, anEnrollment, daysFromNow } from '../../support/learning.ts'
import { anOwner, signedIn, submit } from '../../support/operator-like.ts'
import { uploadTo } from '../../support/uploading.ts'
import { aWorld, type TestSchool } from '../../support/world.ts'

const folder = await mkdtemp(join(tmpdir(), 'schoolgate-files-'))
const world = await aWorld({ files: createDiskStore(folder) })
const school = await world.aSchool()
const operator = await anOperator(world, school)

afterAll(() => rm(folder, { recursive: true, force: true }))

async function aLecture(change: Record<string, unknown>, preview = true) {
  const course = await aCourse(school, [[{ preview }]])
  const id = course.lectures[0]?.[0] ?? ''
  const answer = await operator.patch(`/lectures/${id}`, change)
  expect(answer.statusCode, answer.body).toBe(200)
  return { course, id, path: `/courses/${course.slug}/lectures/${id}` }
}

async function setHosts(at: TestSchool, hosts: string): Promise<void> {
  const owner = await anOwner(world, at)
  const saved = await submit(owner, '/admin/settings', '/admin/settings/videos', {
    video_hosts: hosts,
  })
  expect(saved.headers.location).toBe('/admin/settings?done=saved')
}

describe('a video', () => {
  const video_url = 'https://www.youtube.com/watch?v=dQw4w9WgXcQ'

  test('plays from a host that the school names, and the policy of the page names no other', async () => {
    const { path } = await aLecture({ kind: 'video', video_url })
    const visitor = new Visitor(world, school)
    const before = await visitor.get(path)
    expect(before.body).toContain(`href="${video_url}"`)
    expect(before.body).not.toContain('<iframe')
    expect(before.headers['content-security-policy']).not.toContain('frame-src')

    await setHosts(school, 'www.youtube-nocookie.com\nfilms.example')
    const shown = await visitor.get(path)
    expect(shown.body).toContain('src="https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ"')
    const policy = String(shown.headers['content-security-policy'])
    expect(policy.endsWith('; frame-src https://www.youtube-nocookie.com')).toBe(true)

    const other = await aLecture({ kind: 'video', video_url: 'https://films.example/one.mp4' })
    const film = await visitor.get(other.path)
    expect(film.body).toMatch(/<video [^>]*src="https:\/\/films\.example\/one\.mp4"/)
    expect(film.headers['content-security-policy']).toContain('; media-src https://films.example')
  })

  test('has an https address; hosts that are none are refused', async () => {
    const { id } = await aLecture({ kind: 'video' })
    for (const bad of [
      'http://films.example/one.mp4',
      'javascript:alert(1)',
      'https://ada:secret@films.example/one.mp4',
      'films.example',
    ]) {
      const answer = await operator.patch(`/lectures/${id}`, { video_url: bad })
      expect(answer.statusCode, bad).toBe(422)
      expect(answer.json().errors).toMatchObject([{ pointer: '/video_url' }])
    }
    const owner = await anOwner(world, school)
    const refused = await submit(owner, '/admin/settings', '/admin/settings/videos', {
      video_hosts: '*.com',
    })
    expect(refused.statusCode).toBe(422)
    expect(refused.body).toContain('is no host')
  })

  test('is not shown to a visitor who may not open the lecture', async () => {
    const { path } = await aLecture({ kind: 'video', video_url }, false)
    const { body, statusCode } = await new Visitor(world, school).get(path)
    expect(statusCode).toBe(403)
    expect(body).not.toContain('youtube')
  })
})

describe('a file', () => {
  test('is uploaded in the admin area and downloaded by students alone, as a download', async () => {
    const { course, id, path } = await aLecture({ kind: 'file' }, false)
    const owner = await anOwner(world, school)
    const bytes = Buffer.from('<script>alert(1)</script>')
    const sent = { name: 'notes (1).html', type: 'text/html', bytes }
    const uploaded = await uploadTo(owner, `/admin/lectures/${id}/file`, sent)
    expect(uploaded.statusCode, uploaded.body).toBe(303)

    const [ada, late, eve] = [
      await world.aMember(school),
      await world.aMember(school),
      await world.aMember(school),
    ]
    await anEnrollment(school, ada, course)
    await anEnrollment(school, late, course, { expiresAt: daysFromNow(-1) })
    const visitor = await signedIn(world, school, ada)
    expect((await visitor.get(path)).body).toContain(`href="${path}/file"`)
    const file = await visitor.get(`${path}/file`)
    expect(file.body).toBe(bytes.toString())
    expect(file.headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': "attachment; filename*=UTF-8''notes%20%281%29.html",
      'cache-control': 'private, no-store',
    })
    expect(file.headers['content-security-policy']).toContain('sandbox')

    for (const other of [
      new Visitor(world, school),
      await signedIn(world, school, late),
      await signedIn(world, school, eve),
    ]) {
      const answer = await other.get(`${path}/file`)
      expect(answer.statusCode).toBe(403)
      expect(answer.body).not.toContain('alert')
    }
  })

  test('of another school cannot be made the file of a lecture', async () => {
    const other = await world.aSchool()
    const theirs = await anOperator(world, other)
    const uploaded = await theirs.send('POST', '/files?name=secret.txt', {
      body: 'secret',
      headers: { 'content-type': 'text/plain' },
    })
    const { id } = await aLecture({ kind: 'file' })
    const answer = await operator.patch(`/lectures/${id}`, { file_id: uploaded.json().id })
    expect(answer.statusCode).toBe(422)
    expect(answer.json().errors).toMatchObject([{ pointer: '/file_id', code: 'unknown_reference' }])
  })

  test('is not found at a lecture of another kind, or before it is uploaded', async () => {
    for (const kind of ['file', 'text']) {
      const { path } = await aLecture({ kind })
      expect((await new Visitor(world, school).get(`${path}/file`)).statusCode).toBe(404)
    }
  })
})

test('a lecture that was a quiz reads as a text, and no new one can be made', async () => {
  const { id, course, path } = await aLecture({ body: 'Questions' })
  await school.db.update('lectures').set({ kind: 'quiz' }).where('id', '=', id).execute()
  expect((await operator.get(`/lectures/${id}`)).json().kind).toBe('text')
  const { sections } = (await operator.get(`/courses/${course.id}/curriculum`)).json()
  expect(sections[0].lectures[0].kind).toBe('text')
  expect((await operator.patch(`/lectures/${id}`, { kind: 'quiz' })).statusCode).toBe(422)
  expect((await operator.patch(`/lectures/${id}`, { title: 'New' })).statusCode).toBe(200)
  expect((await new Visitor(world, school).get(path)).body).toContain('Questions')
  const owner = await anOwner(world, school)
  expect((await owner.get(`/admin/lectures/${id}/edit`)).body).not.toContain('quiz')
})

test('a quiz in a file of an older release is imported as a text, once', async () => {
  const { id, course } = await aLecture({ body: 'Questions' })
  await school.db.update('lectures').set({ kind: 'quiz' }).where('id', '=', id).execute()
  const { section_id } = (await operator.get(`/lectures/${id}`)).json()
  const row = { external_id: 'quiz-1', section_id, title: 'Old questions', kind: 'quiz' }
  const file = [row, { id, kind: 'quiz' }].map((one) => JSON.stringify(one)).join('\n')
  const headers = { 'content-type': 'application/x-ndjson' }
  const send = async () => (await operator.post('/lectures/import', file, headers)).json()
  expect(await send()).toMatchObject({ created: 1, updated: 0, unchanged: 1 })
  expect(await send()).toMatchObject({ created: 0, updated: 0, unchanged: 2 })
  const { sections } = (await operator.get(`/courses/${course.id}/curriculum`)).json()
  expect(sections[0].lectures.map(({ kind }: { kind: string }) => kind)).toEqual(['text', 'text'])
})
