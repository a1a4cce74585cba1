import { describe, expect, test } from 'vitest'
import { renderMissing } from '../../../src/domain/content/rendered-texts.ts'
import { anOperator } from '../../support/admin-api.ts'
import { hiddenFields, Visitor } from '../../support/browser-like.ts'
import { aCourse, anEnrollment, daysFromNow, type TestCourse } from '../../support/learning.ts'
import { aToken, read } from '../../support/member-api.ts'
import { signedIn, submit } from '../../support/operator-like.ts'
import { sharedWorld, type TestPerson } from '../../support/world.ts'

const world = await sharedWorld()
const school = await world.aSchool()
const TEXT = 'The **secret** of this lecture'
const SHOWN = 'The <strong>secret</strong> of this lecture'

/** A course with a free lecture, two for students, and one that opens tomorrow. */
async function aCourseToRead(): Promise<TestCourse> {
  const tomorrow = daysFromNow(1)
  const course = await aCourse(school, [
    [{ preview: true }, {}],
    [{}, { unlockAt: tomorrow, title: 'Later' }],
  ])
  await school.db
    .update('lectures')
    .set({ body: TEXT })
    .where('course_id', '=', course.id)
    .execute()
  await renderMissing(world.database.db)
  return course
}

function lecturesIn(course: TestCourse): readonly [string, string, string, string] {
  const [free = '', second = '', third = '', later = ''] = course.lectures.flat()
  return [free, second, third, later]
}

const pathTo = ({ slug }: TestCourse, lecture: string) => `/courses/${slug}/lectures/${lecture}`

async function aStudentOf(
  course: TestCourse,
  options: Parameters<typeof anEnrollment>[3] = {},
): Promise<{ ada: TestPerson; visitor: Visitor }> {
  const ada = await world.aMember(school)
  await anEnrollment(school, ada, course, options)
  return { ada, visitor: await signedIn(world, school, ada) }
}

interface Told {
  readonly lastWatchedLecture: { readonly lectureId: string; readonly positionSeconds: number }
  readonly detailProgress: { readonly completedLectures: number }
  readonly sections: readonly { readonly lectures: readonly { readonly state: string }[] }[]
}

/** What the Member API tells of the one course of a member. */
async function toldAbout(person: TestPerson): Promise<Told | undefined> {
  const { viewer } = await read<{ viewer: { enrolledCourses: { nodes: Told[] } } }>(
    world,
    school,
    await aToken(world, school, person),
    `{ viewer { enrolledCourses { nodes { lastWatchedLecture { lectureId positionSeconds }
      detailProgress { completedLectures } sections { lectures { state } } } } } }`,
  )
  return viewer.enrolledCourses.nodes[0]
}

const statesOf = (told: Told | undefined) =>
  told?.sections.flatMap(({ lectures }) => lectures.map(({ state }) => state))

describe('a lecture', () => {
  test('that is free is read by everybody; the others ask a visitor to sign in', async () => {
    const course = await aCourseToRead()
    const [free, second] = lecturesIn(course)
    const visitor = new Visitor(world, school)
    const open = await visitor.get(pathTo(course, free))
    expect(open.statusCode).toBe(200)
    expect(open.body).toContain(SHOWN)
    expect(open.body).toContain(`href="${pathTo(course, second)}"`)
    const shut = await visitor.get(pathTo(course, second))
    expect(shut.statusCode).toBe(403)
    expect(shut.body).not.toContain('secret')
    const back = encodeURIComponent(pathTo(course, second))
    expect(shut.body).toContain(`href="/sign-in?return_to=${back}"`)
  })

  test('that a member opens is read, and the Member API tells so in the same moment', async () => {
    const course = await aCourseToRead()
    const [, second] = lecturesIn(course)
    const { ada, visitor } = await aStudentOf(course)
    expect((await visitor.get(pathTo(course, second))).body).toContain(SHOWN)
    const told = await toldAbout(ada)
    expect(told?.lastWatchedLecture).toEqual({ lectureId: second, positionSeconds: 0 })
    expect(statesOf(told)).toEqual(['unread', 'read', 'unread', 'unread'])
  })

  test('is completed by a form, which leads to the next one; it can be taken back', async () => {
    const course = await aCourseToRead()
    const [free, second, third, later] = lecturesIn(course)
    const { ada, visitor } = await aStudentOf(course)
    const complete = async (lecture: string) => {
      const path = pathTo(course, lecture)
      const { headers } = await submit(visitor, path, path)
      return headers.location
    }
    expect(await complete(free)).toBe(pathTo(course, second))
    expect(await complete(second)).toBe(pathTo(course, third))
    expect(await complete(third)).toBe(`${pathTo(course, third)}?done=completed`)
    const told = await toldAbout(ada)
    expect(statesOf(told)).toEqual(['completed', 'completed', 'completed', 'unread'])
    expect(told?.detailProgress.completedLectures).toBe(3)

    expect((await visitor.get(pathTo(course, later))).statusCode).toBe(403)
    expect(statesOf(await toldAbout(ada))?.at(-1)).toBe('unread')
    const again = await submit(visitor, pathTo(course, third), pathTo(course, third))
    expect(again.headers.location).toBe(`${pathTo(course, third)}?done=read`)
    expect(statesOf(await toldAbout(ada))?.[2]).toBe('read')
  })

  test('keeps the place in it when the member comes back and when it is completed', async () => {
    const course = await aCourseToRead()
    const [free, second] = lecturesIn(course)
    const { ada, visitor } = await aStudentOf(course)
    const place = { user_id: ada.id, course_id: course.id, lecture_id: second }
    await school.db
      .insert('lecture_progress', { ...place, state: 'read', position_seconds: 42 })
      .execute()
    await visitor.get(pathTo(course, free))
    await submit(visitor, pathTo(course, second), pathTo(course, second))
    const told = await toldAbout(ada)
    expect(told?.lastWatchedLecture).toEqual({ lectureId: second, positionSeconds: 42 })
  })

  test('that a browser loads ahead of time is not read', async () => {
    const course = await aCourseToRead()
    const [, second] = lecturesIn(course)
    const { ada, visitor } = await aStudentOf(course)
    const path = pathTo(course, second)
    expect((await visitor.get(path, { 'sec-purpose': 'prefetch' })).statusCode).toBe(200)
    expect(statesOf(await toldAbout(ada))).not.toContain('read')
  })

  test('of an archived course stays open for its students alone', async () => {
    const course = await aCourseToRead()
    const [free, second] = lecturesIn(course)
    const { visitor } = await aStudentOf(course)
    await school.db
      .update('courses')
      .set({ state: 'archived', archived_at: new Date() })
      .where('id', '=', course.id)
      .execute()
    expect((await visitor.get(pathTo(course, second))).statusCode).toBe(200)
    expect((await new Visitor(world, school).get(pathTo(course, free))).statusCode).toBe(404)
  })

  test('shows the text that its writer saves', async () => {
    const operator = await anOperator(world, school)
    const course = await aCourseToRead()
    const [free] = lecturesIn(course)
    const changed = await operator.patch(`/lectures/${free}`, { body: '*new* <script>' })
    expect(changed.statusCode, changed.body).toBe(200)
    const { body } = await new Visitor(world, school).get(pathTo(course, free))
    expect(body).toContain('<em>new</em> &lt;script>')
  })
})

describe('the page of a course', () => {
  test('shows visitors the curriculum, its length and lecturers, and links to free lectures alone', async () => {
    const course = await aCourseToRead()
    const [free, second] = lecturesIn(course)
    const grace = await world.aMember(school, ['lecturer'])
    await school.db.update('school_members').set({ signed_in_at: new Date() }).execute()
    await school.db.insert('lecturers', { user_id: grace.id, headline: 'Engineer' }).execute()
    await school.db
      .insert('course_lecturers', { course_id: course.id, user_id: grace.id, position: 0 })
      .execute()
    const { body, statusCode } = await new Visitor(world, school).get(`/courses/${course.slug}`)
    expect(statusCode).toBe(200)
    expect(body).toContain('<bdi>Section 0</bdi>')
    expect(body).toContain('<bdi>Later</bdi>')
    expect(body).toContain('<dd>4 min</dd>')
    expect(body).toContain('Engineer')
    expect(body).toContain(`href="${pathTo(course, free)}"`)
    expect(body).not.toContain(pathTo(course, second))
    expect(body).not.toContain('secret')
  })

  test('shows a member their progress and the lecture to continue with, also when it is archived', async () => {
    const course = await aCourseToRead()
    const [, second, third] = lecturesIn(course)
    const { visitor } = await aStudentOf(course)
    const page = async () => (await visitor.get(`/courses/${course.slug}`)).body
    expect(await page()).toMatch(/class="button button-primary"[^>]*>Start</)
    await submit(visitor, pathTo(course, second), pathTo(course, second))
    await visitor.get(pathTo(course, third))
    await school.db
      .update('courses')
      .set({ state: 'archived', archived_at: new Date() })
      .where('id', '=', course.id)
      .execute()
    const shown = await page()
    expect(shown).toContain(`href="${pathTo(course, third)}">Continue<`)
    expect(shown).toContain('25%')
    expect(shown).not.toContain('Price')
    const stranger = await new Visitor(world, school).get(`/courses/${course.slug}`)
    expect(stranger.statusCode).toBe(404)
  })

  test('shows the cover if it is a picture', async () => {
    const course = await aCourseToRead()
    const shown = async (content_type: string) => {
      const id = crypto.randomUUID()
      const bytes = { size_bytes: 1, sha256: Buffer.alloc(32), storage_key: 'none' }
      await school.db.insert('files', { id, name: 'cover', content_type, ...bytes }).execute()
      await school.db
        .update('courses')
        .set({ cover_file_id: id })
        .where('id', '=', course.id)
        .execute()
      const { body } = await new Visitor(world, school).get(`/courses/${course.slug}`)
      return body.includes(`<img class="cover" src="/files/${id}"`)
    }
    expect(await shown('image/png')).toBe(true)
    expect(await shown('text/html')).toBe(false)
  })
})

describe('attacks', () => {
  /** Nothing of the lecture, and no change of what the member has done. */
  async function refused(visitor: Visitor, path: string, status: number): Promise<void> {
    const page = await visitor.get(path)
    expect(page.statusCode).toBe(status)
    expect(page.body).not.toContain('secret')
    expect(page.body).not.toContain('name="state"')
    const fields = hiddenFields((await visitor.get('/')).body, '/sign-out')
    const answer = await visitor.post(path, { ...fields, state: 'completed' })
    expect(answer.statusCode).toBe(status)
  }

  test('a member of the school who is not enrolled marks or reads a lecture', async () => {
    const course = await aCourseToRead()
    const [, second] = lecturesIn(course)
    const visitor = await signedIn(world, school, await world.aMember(school))
    await refused(visitor, pathTo(course, second), 403)
  })

  test('a member whose access ended, or was taken back, reads on', async () => {
    const course = await aCourseToRead()
    const [, second] = lecturesIn(course)
    const ended = await aStudentOf(course, { expiresAt: daysFromNow(-1) })
    await refused(ended.visitor, pathTo(course, second), 403)
    expect(statesOf(await toldAbout(ended.ada))).not.toContain('completed')
    const revoked = await aStudentOf(course, { revokedAt: daysFromNow(-1) })
    await refused(revoked.visitor, pathTo(course, second), 403)
    const rows = await school.db
      .from('lecture_progress')
      .select('user_id')
      .where('course_id', '=', course.id)
      .execute()
    expect(rows).toEqual([])
  })

  test('a lecture is asked for at another school, by a member of both', async () => {
    const course = await aCourseToRead()
    const [free] = lecturesIn(course)
    const { ada } = await aStudentOf(course)
    const other = await world.aSchool()
    await other.db.insert('school_members', { user_id: ada.id, roles: ['student'] }).execute()
    await aCourse(other)
    await refused(await signedIn(world, other, ada), pathTo(course, free), 404)
  })

  test('the free lecture of a draft is read before the course is public', async () => {
    const course = await aCourseToRead()
    const [free] = lecturesIn(course)
    const draft = { state: 'draft', published_at: null } as const
    await school.db.update('courses').set(draft).where('id', '=', course.id).execute()
    const visitor = await signedIn(world, school, await world.aMember(school))
    await refused(visitor, pathTo(course, free), 404)
  })

  test('the id of a lecture of another course is used below a course of one’s own', async () => {
    const [own, paid] = [await aCourseToRead(), await aCourseToRead()]
    const { visitor } = await aStudentOf(own)
    const [, secret] = lecturesIn(paid)
    await refused(visitor, pathTo(own, secret), 404)
    for (const odd of ['%00', 'no-id', '..%2f..%2faccount', secret.toUpperCase()]) {
      expect((await visitor.get(`/courses/${own.slug}/lectures/${odd}`)).statusCode).toBe(404)
    }
  })

  test('another site completes a lecture in the name of a member', async () => {
    const course = await aCourseToRead()
    const [, second] = lecturesIn(course)
    const { ada, visitor } = await aStudentOf(course)
    const path = pathTo(course, second)
    const fields = hiddenFields((await visitor.get(path)).body, path)
    const forged = await visitor.post(path, fields, { origin: 'https://evil.example' })
    expect(forged.statusCode).toBe(403)
    expect((await visitor.post(path, { state: 'completed' })).statusCode).toBe(403)
    const odd = await visitor.post(path, { ...fields, state: 'unread' })
    expect(odd.statusCode).toBe(400)
    expect(statesOf(await toldAbout(ada))?.[1]).toBe('read')
  })
})
