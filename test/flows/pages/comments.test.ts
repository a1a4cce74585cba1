import { describe, expect, test } from 'vitest'
import { MOST_COMMENTS } from '../../../src/domain/learning/discussion.ts'
import { inboxOf } from '../../../src/domain/notifications/inbox.ts'
import { uuidv7 } from '../../../src/foundation/crypto/random.ts'
import { type Answer, hiddenFields, Visitor } from '../../support/browser-like.ts'
import { aMeeting, aService } from '../../support/consulting.ts'
import {
  aCourse,
  anEnrollment,
  daysFromNow,
  type LectureSketch,
  type TestCourse,
} from '../../support/learning.ts'
import { signedIn, submit } from '../../support/operator-like.ts'
import { whileRowHeld } from '../../support/row-lock.ts'
import { sharedWorld, type TestPerson, type TestSchool } from '../../support/world.ts'

const world = await sharedWorld()
const school = await world.aSchool()

interface Scene {
  readonly course: TestCourse
  readonly lecture: string
  readonly path: string
}

async function aLecture(sketch: LectureSketch = {}, at: TestSchool = school): Promise<Scene> {
  const course = await aCourse(at, [[sketch, {}]])
  const lecture = course.lectures[0]?.[0] ?? ''
  return { course, lecture, path: `/courses/${course.slug}/lectures/${lecture}` }
}

type Options = Parameters<typeof anEnrollment>[3]

async function aStudent(
  { course }: Scene,
  options: Options = {},
): Promise<{ person: TestPerson; visitor: Visitor }> {
  const person = await world.aMember(school)
  await anEnrollment(school, person, course, options)
  return { person, visitor: await signedIn(world, school, person) }
}

/** A member with the role and the profile, named on the course or not. */
async function aLecturer({ course }: Scene, isNamed = true) {
  const person = await world.aMember(school, ['lecturer'])
  await school.db.insert('lecturers', { user_id: person.id }).execute()
  const place = { course_id: course.id, user_id: person.id, position: 0 }
  if (isNamed) await school.db.insert('course_lecturers', place).execute()
  return { person, visitor: await signedIn(world, school, person) }
}

const someone = async (role: 'owner' | 'admin' | 'student') =>
  await signedIn(world, school, await world.aMember(school, [role]))

/** The token of this browser, and whatever the form says, as a browser or an attacker sends it. */
async function send(visitor: Visitor, to: string, fields: Record<string, string> = {}) {
  const ours = hiddenFields((await visitor.get('/')).body, '/sign-out')
  return await visitor.post(to, { ...ours, ...fields })
}

const write = (visitor: Visitor, { path }: Scene, words: string, more = {}) =>
  send(visitor, `${path}/comments`, { comment: uuidv7(), words, ...more })

const commentsAt = ({ lecture }: Scene, at: TestSchool = school) =>
  at.db
    .from('comments')
    .select(['id', 'body', 'parent_id', 'user_id', 'hidden_at'])
    .where('lecture_id', '=', lecture)
    .orderBy('created_at')
    .orderBy('id')
    .execute()

const bodiesAt = async (scene: Scene, at = school) =>
  (await commentsAt(scene, at)).map(({ body }) => body)

/** Writes a row as it is after a year of a large school. */
async function given(scene: Scene, { id: user_id }: TestPerson, more: object = {}) {
  const id = uuidv7()
  const row = { id, user_id, lecture_id: scene.lecture, body: 'Which paper?', ...more }
  await school.db.insert('comments', row).execute()
  return id
}

const toldTo = async ({ id }: TestPerson) =>
  (await inboxOf(school.db, id, { limit: 50, fromEnd: false })).filter(
    ({ kind }) => kind === 'comment_answered',
  )

const locationOf = ({ headers }: Answer) => String(headers.location)

describe('below a lecture', () => {
  test('a student writes, others of the course answer, and each sees all of it, oldest first', async () => {
    const scene = await aLecture()
    const [ada, ben] = [await aStudent(scene), await aStudent(scene)]
    const asked = await submit(ada.visitor, scene.path, `${scene.path}/comments`, {
      words: 'Which paper\r\nis it?',
    })
    expect(asked.statusCode).toBe(303)
    const thread = await ada.visitor.get(locationOf(asked))
    expect(thread.body).toContain('Your comment is here.')
    const [comment] = await commentsAt(scene)
    expect(comment?.body).toBe('Which paper\nis it?')
    const page = `${scene.path}/comments/${comment?.id}`
    const answered = await submit(ben.visitor, page, `${scene.path}/comments`, { words: 'Rice' })
    expect(locationOf(answered)).toMatch(
      new RegExp(`^${page}\\?answer=([0-9a-f-]{36})&done=answered#comment-\\1$`),
    )
    await write(ben.visitor, scene, 'Another question')
    const { body } = await ada.visitor.get(scene.path)
    const places = ['Which paper', 'Rice', 'Another question'].map((word) => body.indexOf(word))
    expect(places).toEqual([...places].sort((a, b) => a - b))
    expect(places).not.toContain(-1)
    expect(body).not.toContain(ben.person.email)
    expect(body).not.toContain('There are no comments yet')
  })

  test('an answer to an answer belongs to the comment above both', async () => {
    const scene = await aLecture()
    const ada = await aStudent(scene)
    const top = await given(scene, ada.person)
    const answer = await given(scene, ada.person, { parent_id: top, body: 'Rice' })
    await write(ada.visitor, scene, 'Or hemp', { answers: answer })
    const rows = await commentsAt(scene)
    expect(rows.map(({ parent_id }) => parent_id)).toEqual([null, top, top])
  })

  test('the answers of lecturers of the course, owners and admins are marked', async () => {
    const scene = await aLecture()
    const ada = await aStudent(scene)
    const top = await given(scene, ada.person)
    const { visitor: lecturer } = await aLecturer(scene)
    for (const [n, staff] of [lecturer, await someone('owner'), await someone('admin')].entries()) {
      expect((await staff.get(scene.path)).statusCode, String(n)).toBe(200)
      expect((await write(staff, scene, `Staff ${n}`, { answers: top })).statusCode).toBe(303)
    }
    const page = await ada.visitor.get(scene.path)
    expect(page.body.match(/>Staff<\/span>/g)).toHaveLength(3)
    expect(page.body).not.toContain('/hide')
  })

  test('words are escaped, addresses become links that search engines do not follow, and nothing else does', async () => {
    const scene = await aLecture()
    const ada = await aStudent(scene)
    const words =
      '<script>alert(1)</script> see https://paper.example/a?b=1&c=2. javascript:alert(1) https://school.example@evil.example/ http://'
    await write(ada.visitor, scene, words)
    const { body } = await ada.visitor.get(scene.path)
    expect(body).toContain('&lt;script>')
    expect(body).toMatch(
      /<a [^>]*href="https:\/\/paper\.example\/a\?b=1&amp;c=2" rel="nofollow ugc noopener"/,
    )
    expect(body).not.toMatch(/href="(javascript|https?:\/\/[^"]*evil)/)
  })

  test.each([
    ['nothing', '  \u3164 \n ', 422],
    ['a control character', 'Which\u0007 paper?', 422],
    ['more than 2,000 characters', 'x'.repeat(2001), 422],
    ['2,000 emoji, which are 4,000 units', '🖌'.repeat(2000), 303],
  ])('%s: answered rightly, and what was refused stays in the form', async (_, words, status) => {
    const scene = await aLecture()
    const ada = await aStudent(scene)
    const answer = await write(ada.visitor, scene, words)
    expect(answer.statusCode).toBe(status)
    expect(await commentsAt(scene)).toHaveLength(status === 303 ? 1 : 0)
    if (status === 303) return
    expect(answer.body).toContain('Nothing was written.')
    expect(answer.body).toContain(`${words}</textarea>`)
  })

  test('a form that is sent twice, also at once, writes once and tells once', async () => {
    const scene = await aLecture()
    const [ada, ben] = [await aStudent(scene), await aStudent(scene)]
    const top = await given(scene, ada.person)
    const same = { comment: uuidv7(), answers: top }
    const answers = await Promise.all([1, 2, 3].map(() => write(ben.visitor, scene, 'Rice', same)))
    expect(new Set(answers.map(locationOf)).size).toBe(1)
    expect(await bodiesAt(scene)).toEqual(['Which paper?', 'Rice'])
    expect(await toldTo(ada.person)).toHaveLength(1)
  })

  test('a person writes so many in an hour; what is too much stays in the form', async () => {
    const scene = await aLecture()
    const ada = await aStudent(scene)
    for (let n = 0; n < MOST_COMMENTS; n += 1) {
      expect((await write(ada.visitor, scene, `Question ${n}`)).statusCode).toBe(303)
    }
    const late = await write(ada.visitor, scene, 'One more')
    expect(late.statusCode).toBe(429)
    expect(Number(late.headers['retry-after'])).toBeGreaterThan(0)
    expect(late.body).toContain('One more</textarea>')
    expect(await commentsAt(scene)).toHaveLength(MOST_COMMENTS)
  })

  test('pages hold twenty comments with three answers each, and a comment has a page of its own', async () => {
    const scene = await aLecture()
    const ada = await aStudent(scene)
    const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute))
    const top = await given(scene, ada.person, { body: 'First', created_at: at(0) })
    for (let n = 1; n <= 25; n += 1) {
      const answer = { parent_id: top, body: `Answer ${n}!`, created_at: at(n) }
      await given(scene, ada.person, answer)
      await given(scene, ada.person, { body: `Comment ${n}!`, created_at: at(n) })
    }
    const { body } = await ada.visitor.get(scene.path)
    expect(body.match(/>Answer \d+!</g)).toEqual([1, 2, 3].map((n) => `>Answer ${n}!<`))
    expect(body.match(/>Comment \d+!</g)).toHaveLength(19)
    const [, later = ''] = /href="([^"]*\?after=[^"]*)#comments" rel="next"/.exec(body) ?? []
    const second = (await ada.visitor.get(later)).body
    expect(second.match(/>Comment \d+!</g)).toHaveLength(6)
    expect(second).not.toContain('rel="next"')

    const thread = `${scene.path}/comments/${top}`
    const whole = (await ada.visitor.get(thread)).body
    expect(whole.match(/>Answer \d+!</g)).toHaveLength(20)
    const [, more = ''] = /href="([^"]*\?after=[^"]*)#comments" rel="next"/.exec(whole) ?? []
    expect((await ada.visitor.get(more)).body.match(/>Answer \d+!</g)).toHaveLength(5)
    const [last] = await school.db
      .from('comments')
      .select('id')
      .where('body', '=', 'Answer 25!')
      .where('parent_id', '=', top)
      .execute()
    const led = (await ada.visitor.get(`${thread}?answer=${last?.id}`)).body
    expect(led.match(/>Answer \d+!</g)).toEqual(['>Answer 25!<'])
    const gone = (await ada.visitor.get(`${thread}?answer=${uuidv7()}`)).body
    expect(gone).toContain('Answer 1!')
  })

  test('a writer whose session ended signs in, and sends what was typed', async () => {
    const scene = await aLecture()
    const ada = await aStudent(scene)
    const to = `${scene.path}/comments`
    const form = hiddenFields((await ada.visitor.get(scene.path)).body, to)
    await world.database.pool.query('delete from browser_sessions where user_id = $1', [
      ada.person.id,
    ])
    const late = await ada.visitor.post(to, { ...form, words: 'A long question' })
    const kept = await ada.visitor.signIn(late, ada.person)
    expect(kept.body).toContain('A long question')
    const again = hiddenFields(kept.body, to)
    await ada.visitor.post(to, { ...again, words: 'A long question' })
    expect(await bodiesAt(scene)).toEqual(['A long question'])
  })
})

describe('who has no part in it', () => {
  test('a visitor, and a member without the course, read a free lecture and no comments', async () => {
    const scene = await aLecture({ preview: true })
    const ada = await aStudent(scene)
    const top = await given(scene, ada.person)
    expect((await ada.visitor.get(scene.path)).body).toContain('Which paper?')
    const nobody = new Visitor(world, school)
    const other = await someone('student')
    for (const visitor of [nobody, other]) {
      const { statusCode, body } = await visitor.get(scene.path)
      expect(statusCode).toBe(200)
      expect(body).not.toContain('Which paper?')
      expect(body).not.toContain('id="comments"')
    }
    expect(locationOf(await nobody.get(`${scene.path}/comments/${top}`))).toContain('/sign-in')
    expect((await other.get(`${scene.path}/comments/${top}`)).statusCode).toBe(403)
    const refused = await write(other, scene, 'Buy this')
    expect(refused.statusCode).toBe(403)
    expect(refused.body).toContain('Open the lecture to see whether you still have the course.')
    expect(await commentsAt(scene)).toHaveLength(1)
  })

  test.each<[string, LectureSketch, Options]>([
    [
      'whose access ended, also below a free lecture',
      { preview: true },
      { expiresAt: daysFromNow(-1) },
    ],
    ['whose access was revoked', {}, { revokedAt: daysFromNow(-1) }],
    ['for whom the lecture is not open yet', { unlockAt: daysFromNow(1) }, {}],
  ])('a student %s', async (_, sketch, options) => {
    const scene = await aLecture(sketch)
    const top = await given(scene, await world.aMember(school))
    const { visitor } = await aStudent(scene, options)
    expect((await visitor.get(scene.path)).body).not.toContain('Which paper?')
    expect((await write(visitor, scene, 'I was here')).statusCode).toBeGreaterThan(400)
    expect((await visitor.get(`${scene.path}/comments/${top}`)).statusCode).toBeGreaterThan(400)
    expect(await commentsAt(scene)).toHaveLength(1)
  })

  test('a lecturer of another course is a stranger here', async () => {
    const scene = await aLecture()
    const top = await given(scene, await world.aMember(school))
    const { visitor } = await aLecturer(scene, false)
    expect((await visitor.get(scene.path)).body).not.toContain('Which paper?')
    expect((await write(visitor, scene, 'Mine')).statusCode).toBe(403)
    expect((await send(visitor, `${scene.path}/comments/${top}/hide`)).statusCode).toBe(403)
    expect((await commentsAt(scene))[0]?.hidden_at).toBeNull()
  })

  test('a person whose role is gone writes nothing with a form that was open', async () => {
    const scene = await aLecture()
    const ada = await aStudent(scene)
    const to = `${scene.path}/comments`
    const form = hiddenFields((await ada.visitor.get(scene.path)).body, to)
    await school.db
      .update('school_members')
      .set({ roles: [] })
      .where('user_id', '=', ada.person.id)
      .execute()
    const late = await ada.visitor.post(to, { ...form, words: 'Still here' })
    expect(late.statusCode).toBeGreaterThanOrEqual(400)
    expect(await commentsAt(scene)).toEqual([])
  })

  test('everyone, where the course allows no comments: those that exist are kept', async () => {
    const scene = await aLecture()
    const ada = await aStudent(scene)
    const top = await given(scene, ada.person)
    await school.db
      .update('courses')
      .set({ comments_allowed: false })
      .where('id', '=', scene.course.id)
      .execute()
    for (const visitor of [ada.visitor, await someone('owner')]) {
      expect((await visitor.get(scene.path)).body).not.toContain('id="comments"')
      expect((await visitor.get(`${scene.path}/comments/${top}`)).statusCode).toBe(403)
      expect((await write(visitor, scene, 'Yes')).statusCode).toBe(403)
    }
    expect(await bodiesAt(scene)).toEqual(['Which paper?'])
  })

  test('everyone, in a course that is not published yet, or again: also its students and its staff', async () => {
    const scene = await aLecture()
    const ada = await aStudent(scene)
    const lecturer = await aLecturer(scene)
    const owner = await someone('owner')
    const top = await given(scene, ada.person)
    for (const change of [
      { state: 'draft' },
      { state: 'published', published_at: daysFromNow(1) },
    ]) {
      await school.db
        .update('courses')
        .set(change as { state: 'draft' })
        .where('id', '=', scene.course.id)
        .execute()
      for (const visitor of [ada.visitor, lecturer.visitor, owner]) {
        expect((await visitor.get(scene.path)).body).not.toContain('Which paper?')
        expect((await visitor.get(`${scene.path}?preview=1`)).body).not.toContain('Which paper?')
        expect((await write(visitor, scene, 'Early')).statusCode).toBeGreaterThan(400)
        const hidden = await send(visitor, `${scene.path}/comments/${top}/hide`)
        expect(hidden.statusCode).toBeGreaterThan(400)
      }
    }
    expect(await bodiesAt(scene)).toEqual(['Which paper?'])
  })

  test('strangers of a course in the archive: its students go on, and its staff answer', async () => {
    const scene = await aLecture()
    const ada = await aStudent(scene)
    const top = await given(scene, ada.person)
    const lecturer = await aLecturer(scene)
    await school.db
      .update('courses')
      .set({ state: 'archived', archived_at: new Date() })
      .where('id', '=', scene.course.id)
      .execute()
    expect((await write(ada.visitor, scene, 'Still here')).statusCode).toBe(303)
    for (const visitor of [lecturer.visitor, await someone('admin')]) {
      expect((await visitor.get(scene.path)).body).toContain('Still here')
      expect((await write(visitor, scene, 'Yes', { answers: top })).statusCode).toBe(303)
    }
    const stranger = await aLecturer(scene, false)
    expect((await stranger.visitor.get(scene.path)).statusCode).toBe(404)
    expect((await write(stranger.visitor, scene, 'No')).statusCode).toBe(404)
    expect(await commentsAt(scene)).toHaveLength(4)
  })
})

describe('a forged form', () => {
  test('answers no comment of another lecture, of another school, that is hidden, or that was taken back', async () => {
    const [scene, other] = [await aLecture(), await aLecture()]
    const ada = await aStudent(scene)
    const elsewhere = await world.aSchool()
    const abroad = await aLecture({}, elsewhere)
    const stranger = await world.aMember(elsewhere)
    const foreign = uuidv7()
    const row = { id: foreign, user_id: stranger.id, lecture_id: abroad.lecture, body: 'Abroad' }
    await elsewhere.db.insert('comments', row).execute()
    const hidden = await given(scene, ada.person, { hidden_at: new Date() })
    const parents = [
      await given(other, ada.person),
      foreign,
      hidden,
      await given(scene, ada.person, { parent_id: hidden }),
      await given(scene, ada.person, { body: '(deleted)' }),
      uuidv7(),
    ]
    const before = await commentsAt(scene)
    for (const answers of parents) {
      const refused = await write(ada.visitor, scene, 'Forged', { answers })
      expect(refused.statusCode).toBe(409)
      expect(refused.body).toContain('can no longer be answered')
      expect(refused.body).toContain('Forged</textarea>')
      expect(refused.body).not.toContain('Abroad')
    }
    expect(await commentsAt(scene)).toEqual(before)
    expect(await bodiesAt(abroad, elsewhere)).toEqual(['Abroad'])
  })

  test('takes back, hides or overwrites no comment of others, of another lecture or another school', async () => {
    const [scene, other] = [await aLecture(), await aLecture()]
    const [ada, ben] = [await aStudent(scene), await aStudent(scene)]
    const lecturer = await aLecturer(scene)
    const [of, there] = [await given(scene, ben.person), await given(other, ben.person)]
    expect(locationOf(await send(ada.visitor, `${scene.path}/comments/${of}/take-back`))).toContain(
      'done=not-yours',
    )
    expect(
      locationOf(await send(ben.visitor, `${scene.path}/comments/${there}/take-back`)),
    ).toContain('done=not-yours')
    expect((await send(ada.visitor, `${scene.path}/comments/${of}/hide`)).statusCode).toBe(403)
    const hide = `${scene.path}/comments/${there}/hide`
    expect((await send(lecturer.visitor, hide)).statusCode).toBe(403)
    expect((await write(ada.visitor, scene, 'Overwritten', { comment: of })).statusCode).toBe(403)
    for (const comment of ['1', `${of.slice(0, -1)}%00`]) {
      expect((await write(ada.visitor, scene, 'Bad', { comment })).statusCode).toBe(400)
      const to = `${scene.path}/comments/${comment}/take-back`
      expect((await send(ada.visitor, to)).statusCode).toBeGreaterThanOrEqual(400)
    }
    const rows = [...(await commentsAt(scene)), ...(await commentsAt(other))]
    expect(rows.map(({ body, hidden_at }) => [body, hidden_at])).toEqual([
      ['Which paper?', null],
      ['Which paper?', null],
    ])
  })

  test('of another site, or without our token, writes nothing', async () => {
    const scene = await aLecture()
    const ada = await aStudent(scene)
    const ours = hiddenFields((await ada.visitor.get('/')).body, '/sign-out')
    const fields = { comment: uuidv7(), words: 'Buy this' }
    const to = `${scene.path}/comments`
    const evil = { origin: 'https://evil.example' }
    expect((await ada.visitor.post(to, { ...ours, ...fields }, evil)).statusCode).toBe(403)
    expect((await ada.visitor.post(to, fields)).statusCode).toBeGreaterThanOrEqual(400)
    expect(await commentsAt(scene)).toEqual([])
  })
})

describe('taking back', () => {
  test('removes a comment, and empties one that others answered until the last answer goes', async () => {
    const scene = await aLecture()
    const [ada, ben] = [await aStudent(scene), await aStudent(scene)]
    const [alone, asked] = [await given(scene, ada.person), await given(scene, ada.person)]
    const answer = await given(scene, ben.person, { parent_id: asked, body: 'Rice' })
    const takeBack = (visitor: Visitor, page: string, id: string) =>
      submit(visitor, page, `${scene.path}/comments/${id}/take-back`)
    const thread = `${scene.path}/comments/${asked}`
    expect(locationOf(await takeBack(ada.visitor, scene.path, alone))).toContain('done=taken-back')
    await takeBack(ada.visitor, thread, asked)
    expect(await bodiesAt(scene)).toEqual(['(deleted)', 'Rice'])
    const page = (await ben.visitor.get(scene.path)).body
    expect(page).toContain('Taken back')
    expect(page).not.toContain('(deleted)')
    expect((await ben.visitor.get(thread)).body).toContain('can no longer be answered')
    await takeBack(ben.visitor, thread, answer)
    expect(await commentsAt(scene)).toEqual([])
  })

  test('cannot be forged: no comment says what stands where one was taken back', async () => {
    const scene = await aLecture()
    const { visitor } = await aStudent(scene)
    expect((await write(visitor, scene, ' (deleted) ')).statusCode).toBe(422)
    expect(await bodiesAt(scene)).toEqual([])
  })

  test('an answer that is written at the same moment is not deleted with it', async () => {
    const scene = await aLecture()
    const [ada, ben] = [await aStudent(scene), await aStudent(scene)]
    const asked = await given(scene, ada.person)
    const to = `${scene.path}/comments/${asked}/take-back`
    const ours = hiddenFields((await ada.visitor.get('/')).body, '/sign-out')
    await whileRowHeld(
      world.database.connection,
      { lock: 'select from comments where id = $1 for share', id: asked },
      () => ada.visitor.post(to, ours),
      async (waiting, holder) => {
        await waiting(1)
        await holder.query(
          `insert into comments (school_id, id, lecture_id, user_id, parent_id, body)
           values ($1, $2, $3, $4, $5, 'Rice')`,
          [school.id, uuidv7(), scene.lecture, ben.person.id, asked],
        )
        await holder.query('commit')
        await holder.query('begin')
      },
    )
    expect(await bodiesAt(scene)).toEqual(['(deleted)', 'Rice'])
  })
})

describe('hiding', () => {
  test('by staff keeps a comment and its answers from members until it is shown again, and is audited', async () => {
    const scene = await aLecture()
    const [ada, ben] = [await aStudent(scene), await aStudent(scene)]
    const lecturer = await aLecturer(scene)
    const top = await given(scene, ben.person, { body: 'Buy this' })
    await given(scene, ben.person, { parent_id: top, body: 'Cheap' })
    const at = `${scene.path}/comments/${top}`
    const hidden = await submit(lecturer.visitor, scene.path, `${at}/hide`)
    expect(locationOf(hidden)).toBe(`${at}?done=hide`)
    for (const visitor of [ada.visitor, ben.visitor]) {
      expect((await visitor.get(scene.path)).body).not.toMatch(/Buy this|Cheap/)
      const refused = await visitor.get(at)
      expect(refused.statusCode).toBe(404)
      expect(refused.body).toContain('taken back or hidden')
    }
    const seen = (await lecturer.visitor.get(scene.path)).body
    expect(seen).toContain('Buy this')
    expect(seen).toContain('Hidden')
    await submit(lecturer.visitor, at, `${at}/show`)
    expect((await ada.visitor.get(scene.path)).body).toContain('Cheap')
    const { rows } = await world.database.pool.query(
      `select detail from audit_entries where subject = $1 order by id`,
      [top],
    )
    expect(rows.map(({ detail }) => detail)).toEqual([
      expect.objectContaining({ operation: 'comments.hide', via: 'account' }),
      expect.objectContaining({ operation: 'comments.show', via: 'account' }),
    ])
  })

  test('an owner whose sign-in is not enough for the school takes part as a student, and hides nothing', async () => {
    const strict = await world.aSchool()
    const scene = await aLecture({}, strict)
    const owner = await world.aMember(strict, ['owner', 'student'])
    await anEnrollment(strict, owner, scene.course)
    const row = { id: uuidv7(), user_id: owner.id, lecture_id: scene.lecture, body: 'Which paper?' }
    await strict.db
      .insert('comments', [row, { ...row, id: uuidv7(), body: 'Buy this', hidden_at: new Date() }])
      .execute()
    await world.database.db
      .updateTable('schools')
      .set({ operator_factor_from: daysFromNow(-1) })
      .where('id', '=', strict.id)
      .execute()
    world.context.directory.forget(strict.id)
    const visitor = await signedIn(world, strict, owner)
    const { body } = await visitor.get(scene.path)
    expect(body).toContain('Which paper?')
    expect(body).not.toContain('Buy this')
    const refused = await send(visitor, `${scene.path}/comments/${row.id}/hide`)
    expect(refused.statusCode).toBe(403)
    expect(refused.body).toContain('Your sign-in is not enough here')
    const rows = await commentsAt(scene, strict)
    expect(rows.filter(({ hidden_at }) => hidden_at !== null)).toHaveLength(1)
  })
})

describe('the writer of a comment', () => {
  test('is told when another person answers, with the way to the answer', async () => {
    const scene = await aLecture()
    const [ada, ben] = [await aStudent(scene), await aStudent(scene)]
    const top = await given(scene, ada.person)
    await write(ben.visitor, scene, 'Rice', { answers: top })
    await write(ada.visitor, scene, 'Thank you', { answers: top })
    const told = await toldTo(ada.person)
    expect(told).toHaveLength(1)
    expect(told[0]).toMatchObject({
      title: 'Your comment was answered',
      body: 'There is an answer to your comment below “Lecture 0.0” in A course.',
    })
    const url = told[0]?.url ?? ''
    const [, id = ''] = /#comment-(.*)$/.exec(url) ?? []
    const page = await ada.visitor.get(url.replace(/#.*/, ''))
    expect(page.body).toContain(`id="comment-${id}"`)
    expect(page.body).toContain('Rice')
    expect(await toldTo(ben.person)).toEqual([])
  })

  test('is not told once they left the school, or cannot open the lecture any more', async () => {
    const scene = await aLecture()
    const ben = await aStudent(scene)
    const [ended, left] = [
      await aStudent(scene, { expiresAt: daysFromNow(-1) }),
      await aStudent(scene),
    ]
    await school.db
      .update('school_members')
      .set({ roles: [] })
      .where('user_id', '=', left.person.id)
      .execute()
    for (const { person } of [ended, left]) {
      const answers = await given(scene, person)
      expect((await write(ben.visitor, scene, 'Rice', { answers })).statusCode).toBe(303)
      expect(await toldTo(person)).toEqual([])
    }
  })
})

describe('the email of a person whom the school knows by nothing else', () => {
  test('is read below their imported comments, on the course and in the bookings by no member and no visitor', async () => {
    const scene = await aLecture()
    const { visitor, person: student } = await aStudent(scene)
    const { person } = await aLecturer(scene)
    await school.db
      .update('school_members')
      .set({ signed_in_at: null, typed_name: null, typed_email: person.email })
      .where('user_id', '=', person.id)
      .execute()
    await given(scene, person, { body: 'Imported words.' })
    const service = await aService(school, [scene.course])
    await school.db
      .update('consulting_services')
      .set({ host_id: person.id })
      .where('id', '=', service)
      .execute()
    await aMeeting(school, { service, seats: [student] })
    const lecture = await visitor.get(scene.path)
    expect(lecture.body).toContain('Imported words.')
    expect(lecture.body).toContain('A member')
    const course = await new Visitor(world, school).get(`/courses/${scene.course.slug}`)
    const bookings = await visitor.get('/account/bookings')
    for (const page of [lecture, course, bookings]) {
      expect(page.statusCode).toBe(200)
      expect(page.body).not.toContain(person.email)
    }
  })
})
