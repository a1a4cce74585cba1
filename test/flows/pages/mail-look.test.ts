import { describe, expect, test } from 'vitest'
import { smtpMailer } from '../../../src/foundation/mail/mailer.ts'
import { Visitor } from '../../support/browser-like.ts'
import { aMailBox, type ReceivedMail } from '../../support/mail-box.ts'
import { npmMailServer } from '../../support/npm-mail-server.ts'
import { submit } from '../../support/operator-like.ts'
import { aWorld, type TestSchool } from '../../support/world.ts'

const FROM = 'Schools <no-reply@schools.test>'
const mailBox = await aMailBox(npmMailServer)
const world = await aWorld({ mailer: smtpMailer(mailBox.url, FROM) })

interface Look {
  readonly schoolName?: string
  readonly personName?: string
  readonly color?: string
}

/** The mail with a link for a new password, of a school with this look. */
async function mailOf({
  schoolName,
  personName,
  color,
}: Look): Promise<{ mail: ReceivedMail; school: TestSchool }> {
  const school = await world.aSchool()
  const ada = await world.aMember(school)
  const { pool } = world.database
  if (schoolName !== undefined) {
    await pool.query('update schools set name = $1 where id = $2', [schoolName, school.id])
  }
  if (personName !== undefined) {
    await pool.query('update users set name = $1 where id = $2', [personName, ada.id])
  }
  if (color !== undefined) {
    await pool.query('insert into appearances (school_id, primary_color) values ($1, $2)', [
      school.id,
      color,
    ])
  }
  const visitor = new Visitor(world, school)
  await submit(visitor, '/forgotten-password', '/forgotten-password', { email: ada.email })
  return { mail: await mailBox.take(ada.email), school }
}

const header = (mail: ReceivedMail, name: string) =>
  [...mail.headers.matchAll(new RegExp(`^${name}: (.*)$`, 'gim'))].map(([, value]) => value)

/** The words of a page, without markup. */
const wordsOf = (html: string) =>
  html
    .replace(/<head>.*<\/head>/s, '')
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ')

describe('a mail as a real mail server receives it', () => {
  test('has a text and an HTML part with the same words and links', async () => {
    const { mail, school } = await mailOf({ personName: 'Ada Example' })
    expect(header(mail, 'From')).toEqual([FROM])
    expect(header(mail, 'To')).toEqual([mail.to])
    expect(header(mail, 'Subject')).toEqual([expect.stringContaining('Set a new password for')])
    expect(header(mail, 'Auto-Submitted')).toEqual(['auto-generated'])
    const words = wordsOf(mail.html)
    for (const line of mail.text.split('\n').filter((line) => line !== '')) {
      expect(words).toContain(line.replace(/:$/, ''))
    }
    const url = /^http\S+$/m.exec(mail.text)?.[0] ?? 'no link'
    expect(mail.html).toContain(`href="${url}"`)
    expect(url).toContain(`${school.origin}/reset-password?token=`)
  })

  test('shows the colour of the school, and words on it that can be read', async () => {
    const dark = (await mailOf({ color: '#0b3d0b' })).mail.html
    expect(dark).toContain('background-color:#0b3d0b;color:#ffffff')
    const bright = (await mailOf({ color: '#ffe066' })).mail.html
    expect(bright).toContain('background-color:#ffe066;color:#000000')
    expect((await mailOf({})).mail.html).toContain('background-color:#1f4b99;color:#ffffff')
  })

  test('carries umlauts and emoji through both parts', async () => {
    const { mail } = await mailOf({ schoolName: 'Nordlicht-Schule für Käfer 🐞' })
    expect(mail.text).toContain('Nordlicht-Schule für Käfer 🐞')
    expect(mail.html).toContain('<bdi>Nordlicht-Schule für Käfer 🐞</bdi>')
  })
})

describe('a hostile school or person', () => {
  test('adds no header by line breaks in a name', async () => {
    const name = 'North\r\nBcc: all@people.test\r\n\r\nClick here'
    const { mail } = await mailOf({ schoolName: name, personName: name })
    expect(header(mail, 'Bcc')).toEqual([])
    expect(header(mail, 'Subject')).toHaveLength(1)
    expect(mail.text).not.toMatch(/^(Bcc|Click)/m)
    expect(mailBox.waitingFor('all@people.test')).toEqual([])
  })

  test('adds no markup, link or second recipient by a name', async () => {
    const name = '"><a href="https://evil.test">x</a>, <all@people.test>'
    const { mail, school } = await mailOf({ schoolName: name, personName: name })
    expect(header(mail, 'To')).toEqual([mail.to])
    const links = [...mail.html.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, url]) => url ?? '')
    expect(links.length).toBeGreaterThan(0)
    for (const link of links) expect(new URL(link).origin).toBe(school.origin)
    expect(mail.html).not.toContain('<a href="https://evil.test"')
  })

  test('adds no style or markup by a colour that was stored without a check', async () => {
    const table =
      'alter table appearances drop constraint if exists appearances_primary_color_check'
    await world.database.pool.query(table)
    const { mail } = await mailOf({
      color: 'red"><img src=//evil.test>;background:url(//evil.test)',
    })
    expect(mail.html).not.toContain('evil.test')
    expect(mail.html).toContain('background-color:#3b4cca')
  })

  test('makes the mail show or load nothing from elsewhere', async () => {
    const { mail } = await mailOf({})
    expect(mail.html).not.toMatch(/<(img|script|link|style|iframe|form)\b|url\(/i)
  })
})
