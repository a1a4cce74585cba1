import { describe, expect, test } from 'vitest'
import { SCOPES_OF_AUDIENCE } from '../../src/domain/clients/scope-catalogue.ts'
import { samplePages } from '../support/sample-pages.ts'
import { hostileName } from '../support/sample-people.ts'

interface ParsedForm {
  method: string | undefined
  action: string | undefined
  inputs: { type: string; name: string; value: string }[]
  buttons: { name: string | undefined; value: string | undefined; label: string }[]
}

function attribute(tag: string, name: string): string | undefined {
  return new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1]
}

/** Reads forms with regular expressions: scripts without a DOM must be able to use the pages. */
function parseForms(html: string): ParsedForm[] {
  return [...html.matchAll(/<form([^>]*)>(.*?)<\/form>/gs)].map(([, tag = '', body = '']) => ({
    method: attribute(tag, 'method'),
    action: attribute(tag, 'action'),
    inputs: [...body.matchAll(/<input[^>]*>/g)].map(([input]) => ({
      type: attribute(input, 'type') ?? 'text',
      name: attribute(input, 'name') ?? '',
      value: attribute(input, 'value') ?? '',
    })),
    buttons: [...body.matchAll(/<button([^>]*)>([^<]*)<\/button>/g)].map(
      ([, button = '', label = '']) => ({
        name: attribute(button, 'name'),
        value: attribute(button, 'value'),
        label,
      }),
    ),
  }))
}

const hasButton = (form: ParsedForm, words: RegExp) =>
  form.buttons.some(({ label, value }) => words.test(label) || words.test(value ?? ''))
const yes = /allow|approve|authorize|accept|continue/i
const no = /deny|cancel|refuse|decline|reject|not now/i

function pagesNamed(prefix: string): [string, string][] {
  return Object.entries(samplePages).filter(([name]) => name.startsWith(prefix))
}

/** The pages with a script, by the start of their names; each has one, which is a file. */
const SCRIPTS: readonly (readonly [RegExp, string])[] = [
  [/^member-home-empty/, 'passkeys'],
  [/^(assistants|calendar-address|recovery-codes|member-(home|payments?))/, 'copy'],
  [/^admin-(secret|application|client(?!s)|tool(?!s))/, 'copy'],
  [/^admin-(course|meeting|import-checked)(?!s)/, 'copy'],
  [/^admin-appearance/, 'appearance'],
  [/^(sign-in|account|passkeys|confirm-(passkey|by-factor))/, 'passkeys'],
  [/^lecture/, 'lecture'],
]

function withoutScript(name: string, html: string): string {
  const script = SCRIPTS.find(([pages]) => pages.test(name))?.[1]
  if (script === undefined) return html
  const tag = new RegExp(`<script src="/assets/${script}\\.[0-9a-f]{12}\\.js" defer></script>`)
  return html.replace(tag, '')
}

describe.each(Object.entries(samplePages))('%s', (name, html) => {
  test('has no script, no inline style and no event handler', () => {
    expect(withoutScript(name, html)).not.toMatch(/<script|<style|\sstyle=|\son[a-z]+=/i)
  })

  test('every form posts with the form token, or is a GET form without hidden inputs', () => {
    for (const { method, inputs } of parseForms(html)) {
      if (method === 'get') expect(inputs.map(({ type }) => type)).not.toContain('hidden')
      // The link is the proof: a mail provider posts the same form without a cookie (RFC 8058).
      else if (name === 'unsubscribe') expect(inputs).toEqual([])
      else expect(inputs[0]).toMatchObject({ type: 'hidden', name: 'form_token' })
      expect(['get', 'post']).toContain(method)
    }
  })

  test('has one main heading and no input outside a form', () => {
    expect(html.match(/<h1/g)).toHaveLength(1)
    expect(html.replace(/<form.*?<\/form>/gs, '')).not.toContain('<input')
  })
})

describe.each(pagesNamed('sign-in'))('%s', (_, html) => {
  test('is one form with email, password and hidden inputs only', () => {
    const [form, ...others] = parseForms(html)
    expect(others).toEqual([])
    expect(form?.inputs.filter(({ type }) => type !== 'hidden').map(({ name }) => name)).toEqual([
      'email',
      'password',
    ])
    expect(html).toContain('autocomplete="username webauthn"')
    expect(html).toContain('autocomplete="current-password"')
  })

  test('never returns a typed password', () => {
    const password = parseForms(html)[0]?.inputs.find(({ name }) => name === 'password')
    expect(password?.value).toBe('')
  })
})

describe.each(pagesNamed('consent'))('%s', (_, html) => {
  test('has one form with Allow and Deny, apart from the form that changes accounts', () => {
    const answers = parseForms(html).filter((form) => hasButton(form, yes) || hasButton(form, no))
    expect(answers).toHaveLength(1)
    expect(answers[0]?.buttons).toEqual([
      { name: 'decision', value: 'deny', label: 'Deny' },
      { name: 'decision', value: 'allow', label: 'Allow' },
    ])
    expect(answers[0]?.inputs.map(({ name }) => name)).toEqual(['form_token', 'request'])
  })

  test('gives both buttons the same style', () => {
    const looks = [...html.matchAll(/<button[^>]*name="decision"[^>]*>/g)].map(([tag]) =>
      attribute(tag, 'class'),
    )
    expect(looks).toEqual([looks[0], looks[0]])
  })

  test('says where the member can end the access', () => {
    expect(html).toContain('href="/account/apps"')
  })
})

describe('the scopes on a consent page', () => {
  const linesOf = (name: string) =>
    [...(samplePages[name] ?? '').matchAll(/<(?:h2|li)>([^<]*)</g)].map(([, line]) => line)

  test('are described in the words of the catalogue, grouped by what an app may do', () => {
    expect(linesOf('consent')).toEqual([
      'Who you are',
      'Know who you are at this school',
      'See your name and picture',
      'See your email address',
      'What it can see',
      'See your courses, progress, purchases, bookings, payments and notifications',
      'What it can change',
      'Mark your notifications as read and change what you are notified about',
    ])
  })

  test('are all listed, one line each', () => {
    const scopes = [...SCOPES_OF_AUDIENCE.operator]
    expect(linesOf('consent-operator')).toHaveLength(scopes.length + 3)
  })

  test('say so if the app cannot change anything', () => {
    expect(samplePages['consent-read-only']).toContain('It cannot change anything.')
    expect(samplePages.consent).not.toContain('It cannot change anything.')
  })

  test('ask an operator to manage the school only if the app can change it', () => {
    expect(samplePages['consent-operator']).toContain('on your behalf')
    expect(samplePages['consent-tool-of-the-school']).toContain('wants to see data of')
    expect(samplePages['consent-tool-of-the-school']).not.toContain('on your behalf')
  })

  test('that the catalogue does not know count as a change', () => {
    expect(linesOf('consent-hostile-name').slice(-2)).toEqual(['What it can change', 'grades:read'])
  })
})

describe('the consent page for an unreviewed metadata document', () => {
  const html = samplePages['consent-not-reviewed'] ?? ''

  test('shows both hosts, "not reviewed", and the risk of a loopback redirect', () => {
    expect(html).toContain('Not reviewed by <bdi class="name">Demo Academy</bdi>')
    expect(html).toContain('claude.example')
    expect(html).toContain('127.0.0.1')
    expect(html).toContain('another program could pretend to be this app')
  })

  test('shows no warning for an application that the school registered itself', () => {
    expect(samplePages.consent).not.toContain('Not reviewed')
    expect(samplePages.consent).not.toContain('pretend to be this app')
  })
})

describe('a hostile client name', () => {
  const html = samplePages['consent-hostile-name'] ?? ''

  test('is escaped, isolated and cut where no real name is as long', () => {
    expect(hostileName).toContain('\u202e')
    expect(html).toContain('<bdi class="name">&lt;script>alert(1)&lt;/script>gnp.exe \u0179')
    expect(html).not.toMatch(/[\u200b\u202a-\u202e\u2066-\u2069]/u)
    expect(html).not.toContain('x'.repeat(300))
  })

  test('leaves space for the school in the page title', () => {
    expect(html).toMatch(/<title>&lt;script>.*… asks for access · Demo Academy<\/title>/)
  })

  test('never hides the end of its host', () => {
    expect(html).toContain('long-host.evil.example</bdi>')
  })
})

describe('a person without the role to authorize an operator app', () => {
  test('can only refuse', () => {
    const answers = parseForms(samplePages['operator-only'] ?? '').filter((form) =>
      hasButton(form, no),
    )
    expect(answers).toHaveLength(1)
    expect(answers[0]?.buttons).toMatchObject([{ name: 'decision', value: 'deny' }])
  })
})

describe.each([...pagesNamed('error'), ...pagesNamed('no-role')])('%s', (name, html) => {
  test('shows a reference', () => {
    expect(html).toContain('req-7f3k2m9q')
  })

  test('shows a brand only at a known school', () => {
    expect(html.includes('/theme.')).toBe(name !== 'error-unknown-school')
  })
})

describe('a wrong redirect URI', () => {
  test('is shown as text, never as a link', () => {
    const html = samplePages['error-redirect-uri'] ?? ''
    expect(html).toContain('https://evil.example/callback')
    expect(html).not.toMatch(/href="[^"]*evil/)
  })
})

test('a chart speaks of a dashed part only if it has one', () => {
  const charts = [
    ...(samplePages['admin-analytics'] ?? '').matchAll(/<figure class="chart">.*?<\/figure>/gs),
  ]
  expect(charts).toHaveLength(4)
  for (const [chart] of charts) {
    expect(chart.includes('Dashed:')).toBe(chart.includes('chart-open'))
  }
})

describe('what an operator reads about apps, without being a developer', () => {
  const pages = Object.entries(samplePages).filter(([name]) =>
    /^admin-(clients?|overview)\b/.test(name),
  )

  test.each(pages)('%s has no words of OAuth', (_, html) => {
    const [, main = ''] = html.split('<main')
    // An address may have any word in it.
    const words = main.replace(/<[^>]*>/g, ' ').replace(/https?:\S*/g, '')
    expect(words).not.toMatch(
      /\b(OAuth|scopes?|tokens?|authorizations?|refresh|redirect URIs?|client_id)\b/i,
    )
  })
})

test('only public pages may be indexed by search engines', () => {
  const listed = Object.entries(samplePages)
    .filter(([, html]) => !html.includes('<meta name="robots" content="noindex"'))
    .map(([name]) => name)
  expect(listed.length).toBeGreaterThan(0)
  for (const name of listed)
    expect(name).toMatch(
      /^(home|docs|public|lecture-free|plan|product|writing|course|event|post|page)\b/,
    )
})

test('the top bar marks the area of a page, and as the page itself only the first page of it', () => {
  const mark = (name: string, href: string) =>
    new RegExp(`<nav class="top-nav".*?<a href="${href}"( aria-current="[a-z]+")?>`, 's').exec(
      samplePages[name] ?? '',
    )?.[1]
  expect(mark('member-home', '/account')).toBe(' aria-current="page"')
  expect(mark('member-courses', '/account')).toBe(' aria-current="true"')
  expect(mark('admin-analytics', '/admin')).toBe(' aria-current="true"')
  expect(mark('admin-analytics', '/account')).toBeUndefined()
})
