import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

// Writes docs/security-report.md from the results of `npm run attack`.

const results = new URL('../results/', import.meta.url)
const page = new URL('../../../docs/security-report.md', import.meta.url)

const parts = readdirSync(results)
  .filter((name) => name.endsWith('.json'))
  .map((name) => JSON.parse(readFileSync(new URL(name, results), 'utf8')))
  .sort((a, b) => a.order - b.order)

/** One row of a table, in which the end of a line is written as its code. */
const line = (cells) => `| ${cells.map((cell) => asCell(String(cell))).join(' | ')} |`

const asCell = (text) =>
  text.replaceAll('|', '\\|').replace(/[\p{Cc}\p{Zl}\p{Zp}\ufeff]/gu, (mark) => {
    return `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`
  })

const print = ({ title, lead, columns, rows }) =>
  [
    `## ${title}`,
    lead.join('\n'),
    [line(columns), line(columns.map(() => '---')), ...rows.map(line)].join('\n'),
  ].join('\n\n')

const head = [
  '# Security report',
  'Written by `npm run attack`. `SECURITY.md` says which threat each attack stands for.',
].join('\n\n')

writeFileSync(page, `${[head, ...parts.map(print)].join('\n\n')}\n`)
