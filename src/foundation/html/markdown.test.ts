import { renderToString } from 'preact-render-to-string'
import { describe, expect, test } from 'vitest'
import { Markdown } from './markdown.tsx'

const render = (text: string) =>
  renderToString(Markdown({ text })).replace(/^<div[^>]*>|<\/div>$/g, '')

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
    ['a list', '- one\n- two\n  more', '<ul><li>one</li><li>two more</li></ul>'],
    ['a numbered list', '1. one\n2) two', '<ol><li>one</li><li>two</li></ol>'],
    ['a quote', '> said\n> so', '<blockquote><p>said\nso</p></blockquote>'],
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
  ])('lets %s be nothing but text or a plain link', (_, text) => {
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

  test('drops what reorders or hides letters', () => {
    expect(render('a\u202egnp.exe\0')).toBe('<p>agnp.exe</p>')
  })

  test.each([
    '*'.repeat(50_000),
    '['.repeat(50_000),
    '`a'.repeat(30_000),
    '_a '.repeat(30_000),
    '> '.repeat(50_000),
  ])('reads a long and hostile text (%#) to its end', (text) => {
    expect(render(text).length).toBeGreaterThan(0)
  })
})
