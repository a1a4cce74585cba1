import { describe, expect, test } from 'vitest'
import { hiddenFields, Visitor } from '../../support/browser-like.ts'
import { aCourse, anEnrollment, daysFromNow, type TestCourse } from '../../support/learning.ts'
import { aToken, read } from '../../support/member-api.ts'
import { signedIn, submit } from '../../support/operator-like.ts'
import { sharedWorld, type TestPerson, type TestSchool } from '../../support/world.ts'

const world = await sharedWorld()
const school = await world.aSchool()
const FILM = 'https://films.example/one.mp4'
/** The school begins it after its opening titles. */
const FROM_ITS_START = `${FILM}#t=5`

await world.database.pool.query(
  "update schools set video_hosts = '{films.example}' where id = $1",
  [school.id],
)
world.context.directory.forget()

/** A course with a film and a text, and the first of its pages. */
async function aCourseToWatch(at: TestSchool = school) {
  const course = await aCourse(at, [[{}, {}]])
  const [film = '', text = ''] = course.lectures[0] ?? []
  const video = { kind: 'video', video_url: FROM_ITS_START } as const
  await at.db.update('lectures').set(video).where('id', '=', film).execute()
  const pathTo = (lecture: string) => `/courses/${course.slug}/lectures/${lecture}`
  return { course, film, text, pathTo }
}

async function aStudentOf(course: TestCourse) {
  const ada = await world.aMember(school)
  const enrollment = await anEnrollment(school, ada, course)
  return { ada, enrollment, visitor: await signedIn(world, school, ada) }
}

/** Opens a lecture as a browser does, and gives what its script sends. */
async function open(visitor: Visitor, path: string) {
  const { form_token = '' } = hiddenFields((await visitor.get(path)).body, path)
  return (position_seconds: string, headers?: Record<string, string>) =>
    visitor.post(`${path}/position`, { form_token, position_seconds }, headers)
}

interface Told {
  readonly lastWatchedLecture: { readonly lectureId: string; readonly positionSeconds: number }
}

async function toldAbout(person: TestPerson) {
  const { viewer } = await read<{ viewer: { enrolledCourses: { nodes: Told[] } } }>(
    world,
    school,
    await aToken(world, school, person),
    '{ viewer { enrolledCourses { nodes { lastWatchedLecture { lectureId positionSeconds } } } } }',
  )
  return viewer.enrolledCourses.nodes[0]?.lastWatchedLecture
}

const positionsIn = async ({ id }: TestCourse) =>
  (
    await school.db
      .from('lecture_progress')
      .select('position_seconds')
      .where('course_id', '=', id)
      .execute()
  ).map(({ position_seconds }) => position_seconds)

describe('the position in a lecture', () => {
  test('is kept while a member watches, told by the Member API in the same moment, and the film goes on there', async () => {
    const { course, film, pathTo } = await aCourseToWatch()
    const { ada, visitor } = await aStudentOf(course)
    const tell = await open(visitor, pathTo(film))
    const answer = await tell('760')
    expect(answer.statusCode, answer.body).toBe(204)
    expect(answer.body).toBe('')
    expect(await toldAbout(ada)).toEqual({ lectureId: film, positionSeconds: 760 })
    const { body } = await visitor.get(pathTo(film))
    expect(body).toContain(`src="${FILM}#t=760"`)
    expect(body).toContain('Goes on at 12:40, where you stopped.')
    await tell('0')
    expect((await visitor.get(pathTo(film))).body).toContain(`src="${FROM_ITS_START}"`)
  })

  test('is named by the button of the home, the list of courses and the course, where the film goes on', async () => {
    const { course, film, text, pathTo } = await aCourseToWatch()
    const { visitor } = await aStudentOf(course)
    const buttons = async (lecture: string) => {
      const pages = ['/account', '/account/courses', `/courses/${course.slug}`]
      const bodies = await Promise.all(pages.map(async (page) => (await visitor.get(page)).body))
      const button = new RegExp(`class="button button-primary" href="${pathTo(lecture)}">([^<]+)<`)
      return bodies.map((body) => button.exec(body)?.[1])
    }
    const tell = await open(visitor, pathTo(film))
    expect(await buttons(film)).toEqual(Array(3).fill('Continue'))
    await tell('760')
    expect(await buttons(film)).toEqual(Array(3).fill('Continue from 12:40'))

    // The place in a text, and in the player of another host, is no time of a film.
    const tellOfText = await open(visitor, pathTo(text))
    await tellOfText('42')
    expect(await buttons(text)).toEqual(Array(3).fill('Continue'))
    const elsewhere = { kind: 'video', video_url: 'https://films.example/watch/one' } as const
    await school.db.update('lectures').set(elsewhere).where('id', '=', text).execute()
    expect(await buttons(text)).toEqual(Array(3).fill('Continue'))
  })

  test('of a lecture that was left moves nothing else: the member continues at the one that was opened later', async () => {
    const { course, film, text, pathTo } = await aCourseToWatch()
    const { ada, visitor } = await aStudentOf(course)
    const tell = await open(visitor, pathTo(film))
    await visitor.get(pathTo(text))
    // A browser sends the last report of a page after it has loaded the next one.
    expect((await tell('42')).statusCode).toBe(204)
    expect(await toldAbout(ada)).toEqual({ lectureId: text, positionSeconds: 0 })
    await visitor.get(pathTo(film))
    expect(await toldAbout(ada)).toEqual({ lectureId: film, positionSeconds: 42 })
  })

  test('stays when the lecture is completed, and does not take that back', async () => {
    const { course, film, pathTo } = await aCourseToWatch()
    const { visitor } = await aStudentOf(course)
    const tell = await open(visitor, pathTo(film))
    await tell('42')
    await submit(visitor, pathTo(film), pathTo(film))
    expect(await positionsIn(course)).toContain(42)
    await tell('50')
    expect((await visitor.get(pathTo(film))).body).toContain('Mark as not completed')
  })

  test('leaves the version of the enrollment alone, so that an operator can save it meanwhile', async () => {
    const { course, film, pathTo } = await aCourseToWatch()
    const { enrollment, visitor } = await aStudentOf(course)
    const tell = await open(visitor, pathTo(film))
    const version = () =>
      school.db.from('enrollments').select('version').where('id', '=', enrollment).execute()
    const before = await version()
    await tell('42')
    expect(await version()).toEqual(before)
  })

  test('of another day than the opening counts as a day on which the member learned', async () => {
    const { course, film, pathTo } = await aCourseToWatch()
    const { ada, visitor } = await aStudentOf(course)
    const tell = await open(visitor, pathTo(film))
    await school.db.delete('learning_days').where('user_id', '=', ada.id).execute()
    await school.db
      .update('lecture_progress')
      .set({ updated_at: daysFromNow(-1) })
      .where('user_id', '=', ada.id)
      .execute()
    const days = () =>
      school.db.from('learning_days').select('user_id').where('user_id', '=', ada.id).execute()
    await tell('42')
    expect(await days()).toHaveLength(1)
  })

  test('is reported by a script that the policy of the page names, to one address', async () => {
    const { course, film, pathTo } = await aCourseToWatch()
    const { visitor } = await aStudentOf(course)
    const { headers, body } = await visitor.get(pathTo(film))
    const [, script] = /<script src="([^"]+)"/.exec(body) ?? []
    const policy = String(headers['content-security-policy']).split('; ')
    expect(policy).toEqual(
      expect.arrayContaining([
        `script-src ${school.origin}${script}`,
        `connect-src ${school.origin}${pathTo(film)}/position`,
        'media-src https://films.example',
      ]),
    )
    expect(body).toContain(`data-position-url="${pathTo(film)}/position"`)
  })

  test('is not asked for from a visitor of a free lecture', async () => {
    const course = await aCourse(school, [[{ preview: true }]])
    const path = `/courses/${course.slug}/lectures/${course.lectures[0]?.[0]}`
    const { headers, body } = await new Visitor(world, school).get(path)
    expect(body).not.toContain('<script')
    expect(body).not.toContain('data-position')
    expect(headers['content-security-policy']).not.toMatch(/script-src|connect-src/)
  })
})

describe('attacks', () => {
  test('a position out of range, or one that is no number, is refused and changes nothing', async () => {
    const { course, film, pathTo } = await aCourseToWatch()
    const { visitor } = await aStudentOf(course)
    const tell = await open(visitor, pathTo(film))
    await tell('42')
    for (const bad of ['-1', '1000001', '1e9', '', 'NaN', "1'; drop table lectures"]) {
      expect((await tell(bad)).statusCode, bad).toBe(400)
    }
    expect(await positionsIn(course)).toEqual([42])
  })

  test('another site, or a form without the token of the session, writes a position', async () => {
    const { course, film, pathTo } = await aCourseToWatch()
    const { visitor } = await aStudentOf(course)
    const tell = await open(visitor, pathTo(film))
    expect((await tell('42', { origin: 'https://evil.example' })).statusCode).toBe(403)
    expect((await tell('42', { 'sec-fetch-site': 'cross-site' })).statusCode).toBe(403)
    const bare = await visitor.post(`${pathTo(film)}/position`, { position_seconds: '42' })
    expect(bare.statusCode).toBe(403)
    expect(await positionsIn(course)).toEqual([0])
  })

  test('a member writes with the token of another member, or names another member', async () => {
    const { course, film, pathTo } = await aCourseToWatch()
    const [ada, eve] = [await aStudentOf(course), await aStudentOf(course)]
    await ada.visitor.get(pathTo(film))
    const theirs = hiddenFields((await ada.visitor.get(pathTo(film))).body, pathTo(film))
    const path = `${pathTo(film)}/position`
    const stolen = { form_token: theirs.form_token ?? '', position_seconds: '42' }
    expect((await eve.visitor.post(path, stolen)).statusCode).toBe(403)
    const own = hiddenFields((await eve.visitor.get(pathTo(film))).body, pathTo(film))
    const named = { ...own, position_seconds: '42', student_id: ada.ada.id, user_id: ada.ada.id }
    expect((await eve.visitor.post(path, named)).statusCode).toBe(204)
    expect(await toldAbout(ada.ada)).toEqual({ lectureId: film, positionSeconds: 0 })
    expect(await toldAbout(eve.ada)).toEqual({ lectureId: film, positionSeconds: 42 })
  })

  test('a visitor, a member who is not enrolled, or one whose access ended writes a position', async () => {
    const { course, film, pathTo } = await aCourseToWatch()
    const path = `${pathTo(film)}/position`
    const fieldsOf = async (visitor: Visitor) =>
      hiddenFields((await visitor.get('/')).body, '/sign-out')
    const visitor = new Visitor(world, school)
    expect((await visitor.post(path, { position_seconds: '1' })).statusCode).toBe(403)
    const eve = await signedIn(world, school, await world.aMember(school))
    const sent = await eve.post(path, { ...(await fieldsOf(eve)), position_seconds: '1' })
    expect(sent.statusCode).toBe(403)
    const ended = [{ expires_at: daysFromNow(-1) }, { revoked_at: daysFromNow(-1) }]
    for (const end of ended) {
      const late = await aStudentOf(course)
      const tell = await open(late.visitor, pathTo(film))
      await school.db.update('enrollments').set(end).where('id', '=', late.enrollment).execute()
      expect((await tell('42')).statusCode).toBe(403)
    }
    expect(await positionsIn(course)).toEqual([0, 0])
  })

  test('a lecture that was not opened, of another course or of another school gets no position', async () => {
    const { course, film, text, pathTo } = await aCourseToWatch()
    const { visitor } = await aStudentOf(course)
    const { form_token = '' } = hiddenFields((await visitor.get(pathTo(film))).body, pathTo(film))
    const other = await aCourseToWatch()
    const foreign = await aCourseToWatch(await world.aSchool())
    const fields = { form_token, position_seconds: '42' }
    for (const path of [
      ...[pathTo(text), pathTo(other.film), other.pathTo(film), other.pathTo(other.film)],
      ...[foreign.pathTo(foreign.film), pathTo('no-id'), pathTo('%00'), pathTo("1'--")],
    ]) {
      expect((await visitor.post(`${path}/position`, fields)).statusCode, path).toBe(403)
    }
    expect(await positionsIn(course)).toEqual([0])
    expect(await positionsIn(other.course)).toEqual([])
  })

  test('a flood of positions is refused after thirty in a minute, for this member alone', async () => {
    const { course, film, pathTo } = await aCourseToWatch()
    const [ada, eve] = [await aStudentOf(course), await aStudentOf(course)]
    const tell = await open(ada.visitor, pathTo(film))
    let kept = 0
    let answer = await tell('1')
    for (; answer.statusCode === 204 && kept < 200; kept++) answer = await tell(String(kept))
    expect(answer.statusCode).toBe(429)
    expect(answer.headers['retry-after']).toBeDefined()
    expect(kept).toBeGreaterThanOrEqual(30)
    expect((await (await open(eve.visitor, pathTo(film)))('7')).statusCode).toBe(204)
  })
})
