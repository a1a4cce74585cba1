import { describe, expect, test } from 'vitest'
import { renderMarkdown as render } from './render-markdown.ts'

describe('Markdown', () => {
  test.each([
    ['paragraphs', 'one\ntwo\n\nthree', '<p>one\ntwo</p><p>three</p>'],
    ['a heading below the page’s own', '# Title #', '<h2>Title</h2>'],
    ['headings without a gap', '# a\n#### b', '<h2>a</h2><h3>b</h3>'],
    [
      'emphasis',
      '**a *b* c** _d_ e_f_g',
      '<p><strong>a <em>b</em> c</strong> <em>d</em> e_f_g</p>',
    ],
    ['strong', '**bold** text', '<p><strong>bold</strong> text</p>'],
    ['code', 'use `a < b`', '<p>use <code dir="ltr">a &lt; b</code></p>'],
    ['a list', '- one\n- two\n  more', '<ul><li>one</li><li>two\nmore</li></ul>'],
    ['a list in a list', '- a\n  - b\n- c', '<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>'],
    ['a list with gaps', '- a\n\n- b', '<ul><li><p>a</p></li><li><p>b</p></li></ul>'],
    ['a numbered list', '1. one\n2. two', '<ol><li>one</li><li>two</li></ol>'],
    ['a list that starts at 3', '3) c\n4) d', '<ol start="3"><li>c</li><li>d</li></ol>'],
    ['a quote', '> said\n> so', '<blockquote><p>said\nso</p></blockquote>'],
    [
      'a quote, up to the first line without its mark',
      '> said\nI say\n\n- > a\n  b',
      '<blockquote><p>said</p></blockquote><p>I say</p><ul><li><blockquote><p>a</p></blockquote>b</li></ul>',
    ],
    ['a rule', 'a\n\n---', '<p>a</p><hr/>'],
    ['a line break', 'a  \nb', '<p>a<br/>b</p>'],
    ['an escape', '\\*not soft\\*', '<p>*not soft*</p>'],
    [
      'code kept as it is',
      '```js\n<b>*x*</b>\n```',
      '<pre class="code" dir="ltr"><code>&lt;b>*x*&lt;/b></code></pre>',
    ],
    [
      'a link',
      '[here](https://a.example/x)',
      '<p><a href="https://a.example/x" rel="nofollow noopener">here</a></p>',
    ],
    ['a link here', '[docs](/docs)', '<p><a href="/docs" rel="nofollow noopener">docs</a></p>'],
    [
      'an address as a link',
      '<https://a.example/x> <ann@a.example>',
      '<p><a href="https://a.example/x" rel="nofollow noopener">https://a.example/x</a> <a href="mailto:ann@a.example" rel="nofollow noopener">ann@a.example</a></p>',
    ],
    [
      'an image as a link',
      '![map](https://a.example/map.png)',
      '<p><a href="https://a.example/map.png" rel="nofollow noopener">map</a></p>',
    ],
    ['a link elsewhere as its words', '[files](ftp://a.example)', '<p>files</p>'],
    ['indented text as text', '    a\n\n    b', '<p>a</p><p>b</p>'],
    ['a character reference', 'fish &amp; chips', '<p>fish &amp; chips</p>'],
  ])('shows %s', (_, text, html) => {
    expect(render(text)).toBe(html)
  })

  test.each([
    ['a script', '<script>alert(1)</script>'],
    ['an attribute that acts', '<img src=x onerror=alert(1)>'],
    ['a link that runs', '[x](javascript:alert(1))'],
    ['a link that runs, encoded', '[x](jav&#x61;script:alert)'],
    ['a link of data', '[x](data:text/html,<script>)'],
    ['a link to a host without a scheme', '[x](//evil.example)'],
    ['a link out of its quotes', '[x](https://a.example/"onclick="alert)'],
    ['an image', '![x](https://evil.example/pixel.png)'],
    ['a form', '<form action="/sign-out" method="post"><button>x</button></form>'],
    ['HTML in a heading', '# <b onclick=x>'],
    ['HTML in a list', '- <iframe src="https://evil.example">'],
  ])('shows %s as text or as a plain link', (_, text) => {
    const html = render(text)
    const tags = html.match(/<[a-z][^>]*>/g) ?? []
    for (const tag of tags) {
      expect(tag).toMatch(
        /^<(?:p|h2|ul|li|a href="(?:https?:\/\/|mailto:|\/)[^"]*" rel="nofollow noopener")>$/,
      )
      expect(tag).not.toMatch(/\son/)
    }
    expect(html).not.toContain('href="//')
  })

  test('drops characters that reorder or hide text, also those written as character references', () => {
    expect(render('a\u202egnp.exe\0')).toBe('<p>agnp.exe</p>')
    expect(render('a&#x202e;b `c\u2066d`')).toBe('<p>ab <code dir="ltr">cd</code></p>')
    expect(render('<https://a.example/%E2%80%AEx>')).not.toContain('\u202e')
  })

  test('a text from before the limit is rendered in pieces, cut between paragraphs', () => {
    const paragraph = `**a** ${'b '.repeat(4000)}`.trim()
    const html = `<p><strong>a</strong> ${'b '.repeat(4000).trim()}</p>`
    const count = 25
    expect(render(Array(count).fill(paragraph).join('\n\n'))).toBe(html.repeat(count))
    const unbroken = render('x'.repeat(200_000))
    expect(unbroken.replace(/<\/?p>/g, '')).toBe('x'.repeat(200_000))
  })

  test('deep nesting becomes plain text, since a page cannot be nested deeper', () => {
    const stars = '*'.repeat(20_000)
    expect(render(`${stars}a${stars}`)).toBe(
      `<p>${'<strong>'.repeat(20)}a${'</strong>'.repeat(20)}</p>`,
    )
    expect(render(`${'> '.repeat(1000)}a`)).toMatch(
      /^(?:<blockquote>){1,20}(?:<\/blockquote>){1,20}$/,
    )
  })
})

/** If the work grew with the square of the length, the longest texts would take minutes. */
describe('Markdown of a hostile text', () => {
  const MAX_LENGTH = 64 * 1024
  const PAIRS = (MAX_LENGTH - 10) / 2
  const repeat = (unit: string, length = MAX_LENGTH - 10) => unit.repeat(length / unit.length)
  const spaces = repeat(' ')

  test.each([
    ['spaces in a heading', `#${spaces}\u2028`, '<h2>\u2028</h2>'],
    ['spaces in a line', `a${spaces}b`, `<p>a${spaces}b</p>`],
    ['spaces before a line break', `a${spaces}\nb`, '<p>a<br/>b</p>'],
    ['tabs', `a${repeat('\t')}b`, `<p>a${repeat('\t')}b</p>`],
    ['open brackets', repeat('['), `<p>${repeat('[')}</p>`],
    ['open links', repeat('[a]('), `<p>${repeat('[a](')}</p>`],
    [
      'open code',
      repeat('`a'),
      `<p>${'<code dir="ltr">a</code>a'.repeat(Math.floor(PAIRS / 2))}\`a</p>`,
    ],
    ['backslashes', repeat('\\\\'), `<p>${repeat('\\', PAIRS)}</p>`],
    [
      'quotes in quotes, each before a line that may belong to it',
      '>>\nb\n'.repeat(13_000),
      '<blockquote><blockquote></blockquote></blockquote><p>b</p>'.repeat(13_000),
    ],
  ])('of the greatest length with %s', (_, text, html) => {
    const rendered = render(text)
    expect(rendered.length).toBe(html.length)
    expect(rendered === html).toBe(true)
  })

  const characters = [...'!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~ \t\n\u00a0\u2028']
  const units = ['> k', '- k', '1. k', '`k', '_k ', '<k', '![k', '](k', '[k](k', '**k*']

  test.each([
    ...characters.map((one) => [JSON.stringify(one), one]),
    ...characters.map((one) => [JSON.stringify(`k${one}`), `k${one}`]),
    ...units.map((unit) => [JSON.stringify(unit), unit]),
  ])('with runs of %s keeps its letters', (_, unit) => {
    const text = repeat(unit, 20_000)
    const rendered = render(text).replace(/<[^>]*>/g, '')
    expect(rendered.split('k').length).toBe(text.split('k').length)
  })
})
