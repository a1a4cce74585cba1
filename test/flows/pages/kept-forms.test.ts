import { describe, expect, test } from 'vitest'
import { openForm, sealForm } from '../../../src/surfaces/pages/sign-in/kept-form.ts'
import { type Answer, hiddenFields, Visitor } from '../../support/browser-like.ts'
import { ageProof } from '../../support/old-proof.ts'
import { aBetaSchool, signedIn } from '../../support/operator-like.ts'
import { temporaryFiles } from '../../support/temporary-files.ts'
import { aWorld, PASSWORD, type TestPerson, type TestSchool } from '../../support/world.ts'

const world = await aWorld({ files: await temporaryFiles() })
const { keyring } = world.context
const NEW = '/admin/courses/new'
const KEYS = '/admin/keys'

interface Author {
  readonly school: TestSchool
  readonly person: TestPerson
  readonly visitor: Visitor
}

async function anAuthor(): Promise<Author> {
  const school = await aBetaSchool(world)
  const person = await world.aMember(school, ['owner'])
  return { school, person, visitor: await signedIn(world, school, person) }
}

async function endSessions({ id }: TestPerson): Promise<void> {
  await world.database.pool.query('delete from browser_sessions where user_id = $1', [id])
}

const course = (description: string) => ({
  title: 'Ink drawing',
  slug: 'ink-drawing',
  summary: 'With a pen & "brush"',
  description,
  price_amount: '0',
  currency: 'USD',
})

/** Opens a form, ends the session, and sends the form. */
async function sendLate(
  { visitor, person }: Author,
  fields: Record<string, string>,
  page = NEW,
): Promise<Answer> {
  const hidden = hiddenFields((await visitor.get(page)).body, page)
  await endSessions(person)
  return await visitor.post(page, { ...hidden, ...fields })
}

const keptIn = (page: Answer): string => {
  expect(page.statusCode).toBe(200)
  return hiddenFields(page.body, '/sign-in').kept_form ?? ''
}

/** The fields that the form of a page posts, as a browser reads them. */
function formOf(html: string, action: string): [string, string][] {
  const [, form = ''] =
    [...html.matchAll(/<form\b[^>]*action="([^"]*)"[^>]*>([\s\S]*?)<\/form>/g)]
      .filter((match) => match[1] === action)
      .map((match) => ['', match[2] ?? ''])[0] ?? []
  return [...form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)].map(
    ([, name = '', value = '']) => [
      name,
      value
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
        .replaceAll('&quot;', '"')
        .replaceAll('&amp;', '&'),
    ],
  )
}

const coursesOf = (school: TestSchool) =>
  school.db.from('courses').select(['title', 'description', 'version']).execute()

/** 64 kB of text with everything that a browser or a parser could change. */
const LONG = `\r\n\r\nFirst & last <b>"bold"</b> '&amp;' %41 + \t 漢字 🖋️\r\n${'A line of the text.\r\n'.repeat(3200)}end  `

describe('a form whose session has ended', () => {
  test('is found filled in after signing in, byte for byte, and one button sends it', async () => {
    const author = await anAuthor()
    const { school, person, visitor } = author
    expect(LONG.length).toBeGreaterThan(64_000)
    const asked = await sendLate(author, course(LONG))
    expect(asked.body).toContain('You were signed out')
    expect(asked.body).toContain('kept for 30 minutes')
    expect(asked.body).not.toContain('A line of the text')
    const found = await visitor.signIn(asked, person)
    expect(found.statusCode).toBe(200)
    expect(found.body).toContain('Nothing was lost')
    expect(await coursesOf(school)).toEqual([])
    const fields = formOf(found.body, NEW)
    expect(Object.fromEntries(fields)).toMatchObject(course(LONG))
    const sent = await visitor.post(NEW, fields)
    expect(sent.statusCode).toBe(303)
    const [saved] = await coursesOf(school)
    expect(saved?.description).toBe(LONG.replaceAll('\r\n', '\n'))
  })

  test('can be looked at in its own form first, with what it showed when it was opened', async () => {
    const author = await anAuthor()
    const { school, person, visitor } = author
    await visitor.post(NEW, [
      ...formOf((await visitor.get(NEW)).body, NEW),
      ...Object.entries(course('Before')),
    ])
    const [row] = await school.db.from('courses').select('id').execute()
    const edit = `/admin/courses/${row?.id}/edit`
    const asked = await sendLate(author, { ...course('After'), title: 'Another' }, edit)
    await school.db.update('courses').set({ title: 'Changed meanwhile', version: 2 }).execute()
    const found = await visitor.signIn(asked, person)
    const shown = await visitor.post(edit, [...formOf(found.body, edit), ['show_again', 'yes']])
    expect(shown.statusCode).toBe(200)
    expect(shown.body).toContain('value="Another"')
    expect(shown.body).toContain('After</textarea>')
    const stale = await visitor.post(edit, formOf(found.body, edit))
    expect(stale.statusCode).toBe(409)
    expect((await coursesOf(school))[0]?.title).toBe('Changed meanwhile')
  })

  test('survives a wrong password', async () => {
    const author = await anAuthor()
    const { person, visitor } = author
    const asked = await sendLate(author, course('Kept'))
    const wrong = await visitor.signIn(asked, person, 'a guess')
    expect(wrong.statusCode).toBe(401)
    const found = await visitor.signIn(wrong, person)
    expect(Object.fromEntries(formOf(found.body, NEW)).description).toBe('Kept')
  })

  test('is found also where its session expired, its row is still there, and the person signed in in another tab', async () => {
    const { person, visitor } = await anAuthor()
    const hidden = hiddenFields((await visitor.get(NEW)).body, NEW)
    await world.database.pool.query(
      "update browser_sessions set expires_at = now() - interval '1 minute' where user_id = $1",
      [person.id],
    )
    await visitor.signIn(await visitor.get('/sign-in'), person)
    const found = await visitor.post(NEW, { ...hidden, ...course('Kept') })
    expect(found.statusCode).toBe(200)
    expect(Object.fromEntries(formOf(found.body, NEW)).description).toBe('Kept')
  })

  test('is found also where the person signed in again in another tab', async () => {
    const author = await anAuthor()
    const { person, visitor } = author
    const hidden = hiddenFields((await visitor.get(NEW)).body, NEW)
    await endSessions(person)
    await visitor.signIn(await visitor.get('/sign-in'), person)
    const found = await visitor.post(NEW, { ...hidden, ...course('Kept') })
    expect(found.statusCode).toBe(200)
    expect(found.body).toContain('Nothing was lost')
    const sent = await visitor.post(NEW, formOf(found.body, NEW))
    expect(sent.statusCode).toBe(303)
  })

  test('of another browser that is still signed in is refused, as before', async () => {
    const { school, person, visitor } = await anAuthor()
    const other = await signedIn(world, school, person)
    const hidden = hiddenFields((await other.get(NEW)).body, NEW)
    expect((await visitor.post(NEW, { ...hidden, ...course('Mine') })).statusCode).toBe(403)
  })

  test('is dropped when another person signs in, who sees nothing of it', async () => {
    const author = await anAuthor()
    const other = await world.aMember(author.school, ['owner'])
    const asked = await sendLate(author, course('A secret plan'))
    const entered = await author.visitor.signIn(asked, other)
    expect(entered.statusCode).toBe(303)
    expect(entered.headers.location).toBe(NEW)
    expect((await author.visitor.get(NEW)).body).not.toContain('A secret plan')
  })

  test('is dropped at another school of the same person', async () => {
    const author = await anAuthor()
    const elsewhere = await aBetaSchool(world)
    await world.aMember(elsewhere, ['owner'], author.person)
    const kept_form = keptIn(await sendLate(author, course('Only there')))
    const visitor = new Visitor(world, elsewhere)
    const hidden = hiddenFields((await visitor.get('/sign-in')).body, '/sign-in')
    const entered = await visitor.post('/sign-in', {
      ...hidden,
      kept_form,
      email: author.person.email,
      password: PASSWORD,
    })
    expect(entered.headers.location).toBe('/admin')
  })

  test('is dropped when it was forged, changed, or is older than 30 minutes', async () => {
    const author = await anAuthor()
    const { school, person, visitor } = author
    const asked = await sendLate(author, course('Old'))
    const kept = keptIn(asked)
    const form = openForm(keyring, school.id, kept)
    if (form === undefined) throw new Error('nothing kept')
    const old = sealForm(keyring, school.id, form, Date.now() - 31 * 60 * 1000)
    for (const kept_form of ['forged', `${kept.slice(0, -8)}AAAAAAAA`, old]) {
      await endSessions(person)
      const hidden = hiddenFields((await visitor.get('/sign-in')).body, '/sign-in')
      const typed = { email: person.email, password: PASSWORD }
      const entered = await visitor.post('/sign-in', { ...hidden, ...typed, kept_form })
      expect(entered.headers.location).toBe('/admin')
    }
  })

  test('is not sent twice by itself: a replay only shows it to the same person again', async () => {
    const author = await anAuthor()
    const { school, person, visitor } = author
    const asked = await sendLate(author, course('Once'))
    const found = await visitor.signIn(asked, person)
    await visitor.post(NEW, formOf(found.body, NEW))
    await endSessions(person)
    const again = await visitor.get('/sign-in')
    const fields = { ...hiddenFields(again.body, '/sign-in'), kept_form: keptIn(asked) }
    const replayed = await visitor.post('/sign-in', {
      ...fields,
      email: person.email,
      password: PASSWORD,
    })
    expect(replayed.body).toContain('Nothing was lost')
    expect(await coursesOf(school)).toHaveLength(1)
  })
})

describe('a post that is not a form of ours', () => {
  test.each(['origin', 'token', 'owner', 'none'])('is dropped: another %s', async (what) => {
    const author = await anAuthor()
    const { visitor, person, school } = author
    const hidden = hiddenFields((await visitor.get(NEW)).body, NEW)
    const other = await signedIn(world, school, await world.aMember(school, ['owner']))
    const foreign = hiddenFields((await other.get(NEW)).body, NEW)
    await endSessions(person)
    const { form_token = '', form_owner = '' } = {
      origin: hidden,
      token: { ...hidden, form_token: foreign.form_token },
      owner: { ...hidden, form_owner: foreign.form_owner },
      none: {},
    }[what] as Record<string, string>
    const headers: Record<string, string> =
      what === 'origin' ? { origin: 'https://evil.example' } : {}
    const answer = await visitor.post(
      NEW,
      { form_token, form_owner, ...course('Planted') },
      headers,
    )
    expect(answer.statusCode).toBe(303)
    expect(answer.headers.location).toBe(`/sign-in?return_to=${encodeURIComponent(NEW)}`)
  })

  test('with ten thousand fields is refused before they are read', async () => {
    const { visitor } = await anAuthor()
    const many = Array.from({ length: 10_000 }, (): [string, string] => ['a', ''])
    expect((await visitor.post(NEW, many)).statusCode).toBe(400)
  })
})

describe('what is kept', () => {
  test('never has a password, a code or a token, and says that they have to be typed again', async () => {
    const author = await anAuthor()
    const { school, person, visitor } = author
    const asked = await sendLate(
      author,
      {
        current_password: PASSWORD,
        new_password: 'a much better password',
        code: '123456',
        recovery_code: 'abcd-efgh',
        end_access: 'yes',
      },
      '/account/password',
    )
    const form = openForm(keyring, school.id, keptIn(asked))
    expect(form?.fields).toEqual([['end_access', 'yes']])
    const found = await visitor.signIn(asked, person)
    expect(found.body).toContain('Passwords and codes are never kept')
    expect(found.body).not.toContain('a much better password')
  })

  test('has the code of a coupon, which is no secret', async () => {
    const author = await anAuthor()
    const fields = { code: 'SUMMER', percent_off: '10' }
    const asked = await sendLate(author, fields, '/admin/coupons/new')
    const form = openForm(keyring, author.school.id, keptIn(asked))
    expect(Object.fromEntries(form?.fields ?? [])).toMatchObject(fields)
  })

  test('is 256 KiB at most; a longer one is not kept, and the page says so', async () => {
    const author = await anAuthor()
    const { person, visitor } = author
    const rest = Object.entries(course('')).join('').replaceAll(',', '').length
    const most = '漢'.repeat(Math.floor((256 * 1024 - rest) / 3))
    const asked = await sendLate(author, course(most))
    const found = await visitor.signIn(asked, person)
    expect(Object.fromEntries(formOf(found.body, NEW)).description).toBe(most)
    const refused = await sendLate(author, course(`${most}漢漢`))
    expect(refused.body).toContain('too long to be kept')
    expect(hiddenFields(refused.body, '/sign-in').kept_form).toBeUndefined()
    const entered = await visitor.signIn(refused, person)
    expect(entered.headers.location).toBe(NEW)
  })

  test('comes back also if nothing in it can be compressed or every character is escaped', async () => {
    const author = await anAuthor()
    const { person, visitor } = author
    const noise = Array.from({ length: 60_000 }, (_, at) =>
      String.fromCodePoint(0x4e00 + ((at * 7919 + at * at * 31) % 20_000)),
    ).join('')
    for (const text of [noise, '\u0001"\\'.repeat(60_000)]) {
      const found = await visitor.signIn(await sendLate(author, course(text)), person)
      expect(Object.fromEntries(formOf(found.body, NEW)).description).toBe(text)
    }
  })

  test('is never a file: the sign-in page says so', async () => {
    const { visitor, person } = await anAuthor()
    await endSessions(person)
    const headers = { 'content-type': 'multipart/form-data; boundary=x' }
    const answer = await visitor.send('/admin/appearance/logo', Buffer.from('--x--'), headers)
    expect(answer.statusCode).toBe(303)
    expect((await visitor.follow(answer)).body).toContain('Files are never kept')
  })
})

describe('a form that has to be confirmed', () => {
  test('is kept on the page that asks, shown after the proof, and sent by its person', async () => {
    const { visitor, person, school } = await anAuthor()
    const hidden = hiddenFields((await visitor.get(KEYS)).body, `${KEYS}/publish`)
    await ageProof(world, person)
    const asked = await visitor.post(`${KEYS}/publish`, hidden)
    expect(asked.statusCode).toBe(200)
    expect(asked.body).toContain('Confirm that it is you')
    const keys = () => school.db.from('signing_keys').select('kid').execute()
    const before = (await keys()).length
    const found = await visitor.post('/confirm', {
      ...hiddenFields(asked.body, '/confirm'),
      password: PASSWORD,
    })
    expect(found.body).toContain('Nothing was lost')
    expect(await keys()).toHaveLength(before)
    await visitor.post(`${KEYS}/publish`, formOf(found.body, `${KEYS}/publish`))
    expect(await keys()).toHaveLength(before + 1)
  })

  test('stays kept when the session ends while the page asks', async () => {
    const author = await anAuthor()
    const { visitor, person } = author
    const hidden = hiddenFields((await visitor.get(KEYS)).body, `${KEYS}/publish`)
    await ageProof(world, person)
    const asked = await visitor.post(`${KEYS}/publish`, hidden)
    await endSessions(person)
    const fields = { ...hiddenFields(asked.body, '/confirm'), password: PASSWORD }
    const signIn = await visitor.post('/confirm', fields)
    const found = await visitor.signIn(signIn, person)
    expect(formOf(found.body, `${KEYS}/publish`).length).toBeGreaterThan(0)
  })

  test('of another person is not kept: the confirmation shows only what they sent themselves', async () => {
    const author = await anAuthor()
    const { visitor, person, school } = author
    const other = await world.aMember(school, ['owner'])
    const planted = sealForm(keyring, school.id, {
      path: `${KEYS}/publish`,
      page: KEYS,
      userId: other.id,
      fields: [],
      leftOut: false,
      showsAgain: false,
    })
    await ageProof(world, person)
    const page = await visitor.get(`/confirm?return_to=${encodeURIComponent(KEYS)}`)
    const answer = await visitor.post('/confirm', {
      ...hiddenFields(page.body, '/confirm'),
      kept_form: planted,
      password: PASSWORD,
    })
    expect(answer.headers.location).toBe(KEYS)
  })
})

test('another site gets no page that carries the kept form that it sent', async () => {
  const author = await anAuthor()
  const kept = keptIn(await sendLate(author, course('A text')))
  const page = await author.visitor.get('/sign-in')
  const own = hiddenFields(page.body, '/sign-in')
  const stranger = new Visitor(world, author.school)
  const posts = [
    await stranger.post('/confirm', { kept_form: kept }),
    await author.visitor.post(
      '/confirm',
      { ...own, kept_form: kept },
      { origin: 'https://evil.example' },
    ),
    await author.visitor.post('/confirm', { kept_form: kept }),
  ]
  for (const answer of posts) expect(answer.body).not.toContain(kept)
})
