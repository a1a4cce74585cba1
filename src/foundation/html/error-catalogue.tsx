import { ERROR_GROUPS } from '../errors/catalogue.ts'
import type { Explained } from '../errors/explained.ts'
import { Facts } from './components.tsx'
import { Document, Footer, renderPage } from './layout.tsx'
import { PageHead, Panel } from './site-components.tsx'

let withoutSchool: string | undefined

/**
 * For hosts without a school, whose refusals link here by a path alone. The same for all, so it is
 * rendered once.
 */
export function errorCataloguePage(): string {
  withoutSchool ??= renderPage(
    <Document title="Errors" stylesheets={['site.css']}>
      <div class="site">
        <main id="main">
          <PageHead
            title="Errors"
            lead="There is no school at this address. These are the codes that a program can get from this server."
          />
          <ErrorCatalogue />
        </main>
      </div>
      <Footer branded={false} />
    </Document>,
  )
  return withoutSchool
}

/** Every code of every surface, each under its name as the id. */
export function ErrorCatalogue() {
  return (
    <>
      {codesByGroup().map(({ id, title, where, own, elsewhere }) => (
        <Panel
          key={id}
          id={`group-${id}`}
          title={title}
          lead={<Words text={`Where it stands: ${where}.`} />}
        >
          <Facts
            rows={own.map(([code, { cause, remedy }]) => [
              <code>{code}</code>,
              <>
                <Words text={cause} /> <strong>What to do:</strong> <Words text={remedy} />
              </>,
              { id: code },
            ])}
          />
          {elsewhere.length > 0 && (
            <p>
              Explained above:{' '}
              {elsewhere.map((code, index) => (
                <>
                  {index > 0 && ', '}
                  <a href={`#${code}`}>{code}</a>
                </>
              ))}
              .
            </p>
          )}
        </Panel>
      ))}
    </>
  )
}

/** Every code as Markdown, in which the causes and remedies are written. */
export function errorsMarkdown(): string {
  const blocks = codesByGroup().flatMap(({ title, where, own, elsewhere }) => [
    `## ${title}`,
    `Where it stands: ${where}.`,
    ...own.flatMap(([code, { cause, remedy }]) => [
      `\`${code}\``,
      `${cause} **What to do:** ${remedy}`,
    ]),
    ...(elsewhere.length > 0 ? [`Explained above: ${elsewhere.join(', ')}.`] : []),
  ])
  return `${['# Errors', ...blocks].join('\n\n')}\n`
}

/** A sentence with the names in backticks set as code: they are at the odd places. */
function Words({ text }: { text: string }) {
  return text.split('`').map((part, place) =>
    place % 2 === 1 ? (
      <code key={place} class="whole">
        {part}
      </code>
    ) : (
      part
    ),
  )
}

interface ShownGroup {
  readonly id: string
  readonly title: string
  readonly where: string
  readonly own: readonly (readonly [string, Explained])[]
  /** Codes of this group that an earlier group explains, because an id stands once on a page. */
  readonly elsewhere: readonly string[]
}

function codesByGroup(): ShownGroup[] {
  const shown = new Set<string>()
  return ERROR_GROUPS.map(({ errors, ...group }) => {
    const entries = Object.entries(errors)
    const own = entries.filter(([code]) => !shown.has(code))
    const elsewhere = entries.map(([code]) => code).filter((code) => shown.has(code))
    for (const [code] of own) shown.add(code)
    return { ...group, own, elsewhere }
  })
}
