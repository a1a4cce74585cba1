import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDiskStore } from '../../../src/foundation/storage/disk-store.ts'
import { verifies } from '../../spec/verifies.ts'
import { AdminBrowser, wrongFields } from '../../support/admin-browser.ts'
import { hiddenFields, type Visitor } from '../../support/browser-like.ts'
import { anOwner, signedIn } from '../../support/operator-like.ts'
import { PNG, type SentFile, uploadTo } from '../../support/uploading.ts'
import { aWorld, type TestSchool } from '../../support/world.ts'

const folder = await mkdtemp(join(tmpdir(), 'schoolgate-files-'))
const world = await aWorld({ files: createDiskStore(folder), limits: { uploadBytes: 10_000 } })
afterAll(() => rm(folder, { recursive: true }))

const PAGE = '/admin/appearance'
const LOGO = '/admin/appearance/logo'

let school: TestSchool
let owner: Visitor
let browser: AdminBrowser

beforeAll(async () => {
  school = await world.aSchool()
  owner = await anOwner(world, school)
  browser = new AdminBrowser(owner)
})

describe('school details', () => {
  test('are changed, and the next page shows it', async () => {
    const typed = { name: 'Harbour & Sons', time_zone: 'Asia/Taipei', currency: 'TWD' }
    const { body } = await browser.done('/admin/details', typed)
    expect(body).toContain('Harbour &amp; Sons')
    expect(body).toContain('value="Asia/Taipei" maxlength="64" list="time_zone-suggestions"')
    expect(body).toContain('<option value="TWD" selected>TWD, New Taiwan Dollar</option>')
  })

  test('do not ask for a language, which would change nothing on the pages', async () => {
    expect(await browser.page('/admin/details')).not.toMatch(/name="locale"|Language/)
  })

  test('keep an old time zone name that the form does not offer to other schools', async () => {
    const own = await world.aSchool()
    await world.database.db
      .updateTable('schools')
      .set({ time_zone: 'Asia/Calcutta' })
      .where('id', '=', own.id)
      .execute()
    world.context.directory.forget(own.id)
    const { body } = await new AdminBrowser(await anOwner(world, own)).done('/admin/details')
    expect(body).toContain('value="Asia/Calcutta" maxlength')
  })

  test('that are invalid come back as typed', async () => {
    const typed = { name: '', contact_email: 'nowhere', time_zone: 'Mars/Olympus', currency: 'x' }
    const answer = await browser.send('/admin/details', typed)
    expect(answer.statusCode).toBe(422)
    const wrong = wrongFields(answer.body)
    for (const field of ['name', 'contact_email', 'currency']) expect(wrong).toContain(field)
    expect(answer.body).toContain('value="nowhere"')
  })
})

describe('the appearance', () => {
  test('runs one script, which its policy names by its whole address', async () => {
    const { headers, body } = await owner.get('/admin/appearance')
    const [, script] = /<script src="([^"]+)" defer>/.exec(body) ?? []
    expect(script).toMatch(/^\/assets\/appearance\.[0-9a-f]{12}\.js$/)
    expect(headers['content-security-policy']).toContain(`script-src ${school.origin}${script}`)
  })

  verifies(
    'pages.school.appearance',
    'has a preview, and changes only when it is saved',
    async () => {
      const html = await browser.page(PAGE)
      const before = /theme\.\w+\.css/.exec(html)?.[0]
      const seen = await owner.post(PAGE, {
        ...hiddenFields(html, PAGE),
        primary_color: '#ffe066',
        accent_color: '#0f766e',
        tagline: 'A <b>line</b>',
        preview: 'yes',
      })
      expect(seen.statusCode).toBe(200)
      expect(seen.body).toContain('preview.css?primary=%23ffe066')
      expect(seen.body).toContain('too faint for words')
      expect(seen.body).toContain('A &lt;b>line&lt;/b>')
      expect(/theme\.\w+\.css/.exec(await browser.page(PAGE))?.[0]).toBe(before)
      const { body } = await browser.done(PAGE, { primary_color: '#ffe066' })
      expect(/theme\.\w+\.css/.exec(body)?.[0]).not.toBe(before)
    },
  )

  test('a color that would end a stylesheet rule is refused, and never served', async () => {
    const attack = 'red;}body{display:none}'
    const answer = await browser.send(PAGE, { primary_color: attack })
    expect(answer.statusCode).toBe(422)
    expect(wrongFields(answer.body)).toEqual(['primary_color'])
    const query = new URLSearchParams({ primary: attack, accent: '#fff}*{' })
    const sheet = await owner.get(`${PAGE}/preview.css?${query}`)
    expect(sheet.headers['content-type']).toContain('text/css')
    expect(sheet.body).not.toContain('display')
    expect(sheet.body).not.toContain('*{')
  })

  test('lecturers and forged posts change nothing', async () => {
    const lecturer = await signedIn(world, school, await world.aMember(school, ['lecturer']))
    for (const page of [PAGE, LOGO, '/admin/details', `${PAGE}/preview.css`]) {
      expect((await lecturer.get(page)).statusCode, page).toBe(403)
    }
    for (const page of [PAGE, '/admin/details']) {
      expect((await owner.post(page, { form_token: 'made-up' })).statusCode, page).toBe(403)
    }
  })
})

describe('a file', () => {
  test('becomes the logo of every page, and can be removed', async () => {
    const answer = await uploadTo(owner, LOGO, {})
    expect(answer.headers.location).toBe(`${PAGE}?done=uploaded`)
    const page = await browser.page(PAGE)
    const [, url = ''] = /<img class="logo" src="(\/files\/[0-9a-f-]+)"/.exec(page) ?? []
    expect((await owner.get(url)).rawPayload).toEqual(PNG)
    expect((await uploadTo(owner, LOGO, { field: 'remove' })).statusCode).toBe(303)
    expect(await browser.page(PAGE)).not.toContain('<img class="logo"')
  })

  test('is added to a product, where buyers find it', async () => {
    const { path } = await browser.done('/admin/products/new', { title: 'Book', slug: 'book' })
    const typed = { name: 'C:\\fakepath\\über "x".pdf', type: 'application/pdf' }
    const sent = { ...typed, name: typed.name.replaceAll('"', '%22'), bytes: Buffer.from('%PDF') }
    const answer = await uploadTo(owner, `${path}/file`, sent)
    expect(answer.headers.location).toBe(`${path}?done=uploaded`)
    expect(await browser.page(path)).toContain('über &quot;x&quot;.pdf')
  })

  test('that is no picture, empty, missing or too large is refused with the reason', async () => {
    const cases: readonly (readonly [SentFile, string])[] = [
      [{ bytes: Buffer.from('<script>alert(1)</script>') }, 'not the picture'],
      [{ type: 'image/svg+xml', bytes: Buffer.from('<svg onload="alert(1)"/>') }, 'Use a PNG'],
      [{ bytes: Buffer.alloc(0) }, 'The file is empty.'],
      [{ name: '', bytes: Buffer.alloc(0) }, 'Choose a file first.'],
      [{ bytes: Buffer.alloc(20_000) }, 'larger than this server takes'],
      [{ name: `${'x'.repeat(300)}.png` }, 'a shorter name'],
    ]
    for (const [sent, words] of cases) {
      const answer = await uploadTo(owner, LOGO, sent)
      expect(answer.statusCode, words).toBe(422)
      expect(answer.body).toContain(words)
    }
    expect(await browser.page(PAGE)).not.toContain('<img class="logo"')
  })

  test('from a forged form, from a lecturer or for a product of another school is not stored', async () => {
    const { path } = await browser.done('/admin/products/new', {
      title: 'Book',
      slug: 'other-book',
    })
    const before = await school.db.from('files').select('id').execute()
    expect((await uploadTo(owner, LOGO, { token: 'made-up' })).statusCode).toBe(403)
    const lecturer = await signedIn(world, school, await world.aMember(school, ['lecturer']))
    expect((await uploadTo(lecturer, LOGO, {})).statusCode).toBe(403)
    const stranger = await anOwner(world, await world.aSchool())
    expect((await uploadTo(stranger, `${path}/file`, {})).statusCode).toBe(404)
    const late =
      '--xyz\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\nx\r\n--xyz--\r\n'
    const headers = { 'content-type': 'multipart/form-data; boundary=xyz' }
    expect((await owner.send(LOGO, Buffer.from(late), headers)).statusCode).toBe(403)
    const garbage = await owner.send(LOGO, Buffer.from('no form at all'), headers)
    expect(garbage.statusCode).toBe(400)
    expect(await school.db.from('files').select('id').execute()).toEqual(before)
  })
})
