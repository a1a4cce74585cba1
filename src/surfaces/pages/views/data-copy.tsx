import { renderToString } from 'preact-render-to-string'
import type { CopyLine, CopyRow } from '../../../domain/leaving/read-copy.ts'
import { plainText } from '../../../foundation/html/plain-text.ts'
import { capitalized } from './words.ts'

/** A file that is opened from the disk, so it brings its own look; its policy lets nothing else in. */
const HEAD = `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<style>
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem }
table { border-collapse: collapse; display: block; overflow-x: auto }
th, td { border: 1px solid #888; padding: .25rem .5rem; text-align: start; vertical-align: top; white-space: pre-wrap }
</style>`

export interface CopyFacts {
  readonly schoolName: string
  readonly madeAt: Date
}

/** The copy as a document for people. Members and schools wrote its values, so all go through Preact. */
export async function* copyAsHtml(
  lines: AsyncIterable<CopyLine>,
  { schoolName, madeAt }: CopyFacts,
): AsyncGenerator<string, void, void> {
  const name = plainText(schoolName) || 'your school'
  yield HEAD +
    renderToString(<title>{`What ${name} holds about you`}</title>) +
    '</head><body>' +
    renderToString(
      <>
        <h1>
          What <bdi>{name}</bdi> holds about you
        </h1>
        <p>Made on {timeInWords(madeAt.toISOString())}.</p>
      </>,
    )
  let open: 'none' | 'section' | 'table' = 'none'
  for await (const line of lines) {
    if (line.kind === 'section') {
      yield endOf(open) + renderToString(<h2>{line.title}</h2>)
      open = 'section'
    } else {
      if (open !== 'table') yield `<table>${renderToString(<HeadRow row={line.row} />)}<tbody>`
      yield renderToString(<Row row={line.row} />)
      open = 'table'
    }
  }
  yield `${endOf(open)}</body></html>\n`
}

function endOf(open: 'none' | 'section' | 'table'): string {
  if (open === 'none') return ''
  return open === 'table' ? '</tbody></table>' : '<p>Nothing.</p>'
}

/** All rows of a section have the same columns. */
function HeadRow({ row }: { row: CopyRow }) {
  return (
    <thead>
      <tr>
        {Object.keys(row).map((name) => (
          <th scope="col">{nameInWords(name)}</th>
        ))}
      </tr>
    </thead>
  )
}

function Row({ row }: { row: CopyRow }) {
  return (
    <tr>
      {Object.values(row).map((value) => (
        <td>{inWords(value)}</td>
      ))}
    </tr>
  )
}

function nameInWords(name: string): string {
  return capitalized(name.replaceAll('_', ' '))
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/

function inWords(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'string') return TIME.test(value) ? timeInWords(value) : value
  if (Array.isArray(value)) return value.map(inWords).join('\n')
  if (typeof value !== 'object') return String(value)
  const parts = Object.entries(value).map(
    ([name, part]) => `${nameInWords(name)}: ${inWords(part)}`,
  )
  return parts.join(', ')
}

function timeInWords(text: string): string {
  const time = new Date(text)
  if (Number.isNaN(time.getTime())) return text
  return `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
