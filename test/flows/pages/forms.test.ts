import { describe, expect, test } from 'vitest'
import { uuidv7 } from '../../../src/foundation/crypto/random.ts'
import { anOperator } from '../../support/admin-api.ts'
import { type Answer, hiddenFields, Visitor } from '../../support/browser-like.ts'
import { aSlug } from '../../support/learning.ts'
import { anOwner, signedIn, submit } from '../../support/operator-like.ts'
import { sharedWorld, type TestSchool } from '../../support/world.ts'

const world = await sharedWorld()
const school = await world.aSchool()

const QUESTIONS = [
  { name: 'course', label: 'Which course?', kind: 'text', required: true },
  { name: 'rating', label: 'How was it?', kind: 'number', required: false },
  { name: 'again', label: 'Once more?', kind: 'yes_no', required: false },
]

async function aForm(
  options: {
    state?: 'draft' | 'open' | 'closed'
    once?: boolean
    at?: TestSchool
    questions?: typeof QUESTIONS
  } = {},
): Promise<{ id: string; path: string }> {
  const [id, slug] = [uuidv7(), aSlug()]
  await (options.at ?? school).db
    .insert('forms', {
      id,
      slug,
      title: 'Feedback',
      fields: JSON.stringify(options.questions ?? QUESTIONS),
      state: options.state ?? 'open',
      once_per_member: options.once ?? false,
    })
    .execute()
  return { id, path: `/forms/${slug}` }
}

async function answersOf(form: string) {
  return await school.db
    .from('form_submissions')
    .select(['user_id', 'answers'])
    .where('form_id', '=', form)
    .execute()
}

async function send(
  visitor: Visitor,
  path: string,
  answers: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const fields = hiddenFields((await visitor.get(path)).body, path)
  const named = Object.entries(answers).map(([name, value]) => [`answer.${name}`, value])
  return await visitor.post(path, { ...fields, ...Object.fromEntries(named) }, headers)
}

describe('an open form', () => {
  test('takes the answers of a visitor, and the school finds them', async () => {
    const { id, path } = await aForm()
    const visitor = new Visitor(world, school)
    const sent = await send(visitor, path, { course: ' Ink ', rating: '4,5', again: 'yes' })
    expect(sent.headers.location).toBe(`${path}?done=sent`)
    expect((await visitor.get(`${path}?done=sent`)).body).toContain('Your answers were sent')
    const answers = { course: 'Ink', rating: 4.5, again: true }
    expect(await answersOf(id)).toEqual([{ user_id: null, answers }])
    const operator = await anOperator(world, school)
    const { data } = (await operator.get(`/forms/${id}/submissions`)).json()
    expect(data).toMatchObject([{ answers, member_id: null }])
    const owner = await anOwner(world, school)
    expect((await owner.get(`/admin/submissions/${data[0].id}`)).body).toContain('Ink')
  })

  test('knows who answered if it is a member, who may answer again', async () => {
    const { id, path } = await aForm()
    const ada = await world.aMember(school)
    const visitor = await signedIn(world, school, ada)
    await send(visitor, path, { course: 'Ink' })
    await send(visitor, path, { course: 'Oil' })
    expect((await answersOf(id)).map(({ user_id }) => user_id)).toEqual([ada.id, ada.id])
  })

  test('shows what is wrong beside the question, with what was typed, and stores nothing', async () => {
    const { id, path } = await aForm()
    const visitor = new Visitor(world, school)
    const refused = await send(visitor, path, { rating: '<b>many</b>' })
    expect(refused.statusCode).toBe(422)
    expect(refused.body).toContain('Please answer this question.')
    expect(refused.body).toContain('Write a number')
    expect(refused.body).toContain('value="&lt;b>many&lt;/b>"')
    expect(await answersOf(id)).toEqual([])
  })

  test('takes answers to its own questions alone', async () => {
    const { id, path } = await aForm()
    await send(new Visitor(world, school), path, { course: 'Ink', other: 'x', form_token: 'y' })
    expect((await answersOf(id))[0]?.answers).toEqual({ course: 'Ink' })
  })
})

describe('long answers', () => {
  const questions = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'].map((name) => ({
    name,
    label: name,
    kind: 'long_text',
    required: false,
  }))
  const filled = (text: string) => Object.fromEntries(questions.map(({ name }) => [name, text]))

  test('are taken at their full length in Chinese letters, ten of them', async () => {
    const { id, path } = await aForm({ questions })
    const answers = filled('漢'.repeat(10_000))
    const sent = await send(new Visitor(world, school), path, answers)
    expect(sent.headers.location).toBe(`${path}?done=sent`)
    expect((await answersOf(id))[0]?.answers).toEqual(answers)
  })

  test('are shown to the school in full, with their line breaks', async () => {
    const { id, path } = await aForm({ questions })
    const text = `${'漢'.repeat(6000)}\n<b>second\n\n${'x'.repeat(3900)} end`
    await send(new Visitor(world, school), path, { a: text })
    const rows = school.db.from('form_submissions').select('id').where('form_id', '=', id)
    const submission = (await rows.executeTakeFirstOrThrow()).id
    const { body } = await (await anOwner(world, school)).get(`/admin/submissions/${submission}`)
    expect(body).toContain(`>${text.replace('<', '&lt;')}<`)
  })

  test('that are longer are refused beside the question, and a body without end by its size', async () => {
    const { id, path } = await aForm({ questions })
    const visitor = new Visitor(world, school)
    expect((await send(visitor, path, { a: '漢'.repeat(10_001) })).statusCode).toBe(422)
    expect((await send(visitor, path, filled('漢'.repeat(12_000)))).statusCode).toBe(413)
    expect(await answersOf(id)).toEqual([])
  })
})

describe('a form for members, once', () => {
  test('asks a visitor to sign in, and takes one answer of each member', async () => {
    const { id, path } = await aForm({ once: true })
    const stranger = await new Visitor(world, school).get(path)
    expect(stranger.body).toContain(`href="/sign-in?return_to=${encodeURIComponent(path)}"`)
    expect(stranger.body).not.toContain('Which course?')
    const visitor = await signedIn(world, school, await world.aMember(school))
    expect((await send(visitor, path, { course: 'Ink' })).headers.location).toContain('done=sent')
    expect((await visitor.get(path)).body).toContain('You have answered this form')
    expect(await answersOf(id)).toHaveLength(1)
  })
})

describe.each([{ once: true }, { once: false }])('a form of an ended session (%o)', (options) => {
  async function interrupted(end: 'delete' | 'expire') {
    const { id, path } = await aForm(options)
    const ada = await world.aMember(school)
    const visitor = await signedIn(world, school, ada)
    const fields = { ...hiddenFields((await visitor.get(path)).body, path), 'answer.course': 'Ink' }
    const ended =
      end === 'delete'
        ? 'delete from browser_sessions where user_id = $1'
        : "update browser_sessions set expires_at = now() - interval '1 minute' where user_id = $1"
    await world.database.pool.query(ended, [ada.id])
    return { id, path, ada, visitor, fields }
  }

  test.each(['delete', 'expire'] as const)(
    'is found filled in after signing in, and one button sends it (%s)',
    async (end) => {
      const { id, path, ada, visitor, fields } = await interrupted(end)
      const asked = await visitor.post(path, fields)
      expect(asked.statusCode).toBe(200)
      expect(asked.body).toContain('You were signed out')
      expect(await answersOf(id)).toEqual([])
      const found = await visitor.signIn(asked, ada)
      expect(found.body).toContain('Nothing was lost')
      expect(found.body).toContain('>Course</label>')
      const kept = hiddenFields(found.body, path)
      expect(kept['answer.course']).toBe('Ink')
      const shown = await visitor.post(path, { ...kept, show_again: 'yes' })
      expect(shown.statusCode).toBe(200)
      expect(shown.body).toContain('value="Ink"')
      expect(await answersOf(id)).toEqual([])
      expect((await visitor.post(path, kept)).headers.location).toBe(`${path}?done=sent`)
      expect(await answersOf(id)).toEqual([{ user_id: ada.id, answers: { course: 'Ink' } }])
    },
  )

  test.each(['delete', 'expire'] as const)(
    'is found also after a sign-in in another tab (%s)',
    async (end) => {
      const { id, path, ada, visitor, fields } = await interrupted(end)
      await visitor.signIn(await visitor.get('/sign-in'), ada)
      const found = await visitor.post(path, fields)
      expect(found.body).toContain('Nothing was lost')
      expect(await answersOf(id)).toEqual([])
      await visitor.post(path, hiddenFields(found.body, path))
      expect(await answersOf(id)).toHaveLength(1)
    },
  )

  test('is not shown to another person, who signs in at the same browser', async () => {
    const { id, path, visitor, fields } = await interrupted('delete')
    const asked = await visitor.post(path, fields)
    const other = await visitor.signIn(asked, await world.aMember(school))
    expect(other.headers.location).toBe(path)
    expect(other.body).not.toContain('Ink')
    expect((await visitor.post(path, fields)).statusCode).toBe(403)
    expect(await answersOf(id)).toEqual([])
  })
})

test('a draft is not found; a closed form says that it is closed', async () => {
  const draft = await aForm({ state: 'draft' })
  const closed = await aForm({ state: 'closed' })
  const visitor = new Visitor(world, school)
  expect((await visitor.get(draft.path)).statusCode).toBe(404)
  expect((await visitor.get(`/forms/a%00b`)).statusCode).toBe(404)
  expect((await visitor.get(closed.path)).body).toContain('takes no more answers')
})

test('an owner makes a form, asks that members answer once, and opens it', async () => {
  const owner = await anOwner(world, school)
  const slug = aSlug()
  const made = await submit(owner, '/admin/forms/new', '/admin/forms/new', {
    title: 'Vote',
    slug,
    once_per_member: 'on',
  })
  const path = String(made.headers.location).split('?')[0]
  await submit(owner, `${path}/question`, `${path}/question`, {
    label: 'Your email',
    kind: 'email',
    required: 'on',
  })
  await submit(owner, `${path}/open`, `${path}/open`)
  const { body } = await new Visitor(world, school).get(`/forms/${slug}`)
  expect(body).toContain('for members of the school')
  expect((await owner.get(path ?? '')).body).toContain(`href="/forms/${slug}"`)
})

describe('attacks', () => {
  const ANSWER = { course: 'Ink' }

  test('a member answers twice in the same moment', async () => {
    const { id, path } = await aForm({ once: true })
    const ada = await world.aMember(school)
    const browsers = await Promise.all(
      [1, 2, 3, 4].map(async () => {
        const visitor = await signedIn(world, school, ada)
        return { visitor, fields: hiddenFields((await visitor.get(path)).body, path) }
      }),
    )
    const sent = await Promise.all(
      browsers.map(({ visitor, fields }) =>
        visitor.post(path, { ...fields, 'answer.course': 'x' }),
      ),
    )
    const locations = sent.map(({ headers }) => String(headers.location)).toSorted()
    expect(locations.filter((one) => one.endsWith('done=sent'))).toHaveLength(1)
    expect(await answersOf(id)).toHaveLength(1)
  })

  test('a page that was opened before the form was closed, or became one for members, is sent', async () => {
    const { id, path } = await aForm()
    const visitor = new Visitor(world, school)
    const fields = { ...hiddenFields((await visitor.get(path)).body, path), 'answer.course': 'x' }
    const change = (columns: { state?: 'closed' | 'open'; once_per_member?: boolean }) =>
      school.db.update('forms').set(columns).where('id', '=', id).execute()
    await change({ once_per_member: true })
    expect((await visitor.post(path, fields)).headers.location).toContain('/sign-in')
    await change({ once_per_member: false, state: 'closed' })
    expect((await visitor.post(path, fields)).headers.location).toBe(`${path}?done=closed`)
    expect(await answersOf(id)).toEqual([])
  })

  test('a person without a role sends a form that became one for members, and reads why it is refused', async () => {
    const { id, path } = await aForm()
    const ada = await world.aMember(school)
    const visitor = await signedIn(world, school, ada)
    await school.db.delete('school_members').where('user_id', '=', ada.id).execute()
    const fields = { ...hiddenFields((await visitor.get(path)).body, path), 'answer.course': 'x' }
    await school.db.update('forms').set({ once_per_member: true }).where('id', '=', id).execute()
    const sent = await visitor.post(path, fields)
    expect(sent.headers.location).toBe(`${path}?done=members_only`)
    const told = await visitor.get(`${path}?done=members_only`)
    expect(told.body).toContain('Your answers were not sent: this form is for members')
    expect(told.body).not.toContain('takes no more answers')
    expect(await answersOf(id)).toEqual([])
  })

  test('another site, or a program that never saw the form, sends answers', async () => {
    const { id, path } = await aForm()
    const visitor = new Visitor(world, school)
    const forged = await send(visitor, path, ANSWER, { origin: 'https://evil.example' })
    expect(forged.statusCode).toBe(403)
    const blind = await new Visitor(world, school).post(path, { 'answer.course': 'x' })
    expect(blind.statusCode).toBe(403)
    expect(await answersOf(id)).toEqual([])
  })

  test('one address floods a form, and other schools and members do not notice', async () => {
    const flooded = await world.aSchool()
    const { path } = await aForm({ at: flooded })
    const visitor = new Visitor(world, flooded)
    const fields = { ...hiddenFields((await visitor.get(path)).body, path), 'answer.course': 'x' }
    const statuses: number[] = []
    for (let n = 0; n < 62; n++) statuses.push((await visitor.post(path, fields)).statusCode)
    expect(statuses.filter((status) => status === 303)).toHaveLength(60)
    const last = await visitor.post(path, fields)
    expect(last.statusCode).toBe(429)
    expect(Number(last.headers['retry-after'])).toBeGreaterThan(0)
    expect(last.body).toContain('value="x"')
    const elsewhere = await aForm()
    expect((await send(new Visitor(world, school), elsewhere.path, ANSWER)).statusCode).toBe(303)
    const member = await signedIn(world, flooded, await world.aMember(flooded))
    expect((await send(member, path, ANSWER)).statusCode).toBe(303)
  })

  test('the form of another school is answered here', async () => {
    const other = await world.aSchool()
    const { path } = await aForm({ at: other })
    expect((await new Visitor(world, school).get(path)).statusCode).toBe(404)
  })
})
