import { expect, test } from 'vitest'
import { Code, Panel } from './site-components.tsx'
import { toMarkdown } from './to-markdown.ts'

test('sections, lists, code and links become Markdown, and addresses are complete', () => {
  const page = (
    <>
      <Panel id="a" title="1. Discover">
        <div class="prose">
          <p>
            Read <code>scope</code> in <a href="/docs/errors">every answer</a>, see{' '}
            <a href="#b">step 2</a>.
          </p>
          <ul>
            <li>
              <strong>First</strong>: one
            </li>
            {false && <li>never</li>}
            <li>second</li>
          </ul>
          <Code>{'curl http://a.example \\\n  -d "x*y"'}</Code>
        </div>
      </Panel>
      <nav>Not here</nav>
    </>
  )
  expect(toMarkdown(page, 'https://school.example')).toBe(`## 1. Discover

Read \`scope\` in [every answer](https://school.example/docs/errors), see step 2.

- **First**: one
- second

\`\`\`
curl http://a.example \\
  -d "x*y"
\`\`\`
`)
})

test('a school whose name is Markdown stays a name', () => {
  const name = '[click](https://evil.example) **bold** <script> `x`\n# Heading'
  const text = toMarkdown(<p>Clients of {name}.</p>, 'https://school.example')
  expect(text.split('\n')).toHaveLength(2)
  expect(text).not.toMatch(/(?<!\\)[[*<`]/)
})
