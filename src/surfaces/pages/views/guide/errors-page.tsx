import { ERROR_GROUPS } from '../../../../foundation/errors/catalogue.ts'
import type { Explained } from '../../../../foundation/errors/explained.ts'
import { PageHead, Panel } from '../../../../foundation/html/site-components.tsx'
import { type SiteFrame, sitePage } from '../site-layout.tsx'

/** Every code of every surface. Answers link here, by the code as the fragment. */
export function errorsPage(frame: SiteFrame): string {
  return sitePage({
    ...frame,
    title: 'Errors',
    listed: true,
    children: (
      <>
        <PageHead
          title="Errors"
          up={{ url: '/docs', label: 'For developers' }}
          lead="Every code that a program can get from this school, what causes it, and what to do."
        />
        <ErrorCatalogue />
      </>
    ),
  })
}

export function ErrorCatalogue() {
  return (
    <>
      {codesByGroup().map(({ id, title, where, own, elsewhere }) => (
        <Panel key={id} id={`group-${id}`} title={title} lead={`Where it stands: ${where}.`}>
          <dl class="facts">
            {own.map(([code, { cause, remedy }]) => (
              <div key={code} id={code}>
                <dt>
                  <code>{code}</code>
                </dt>
                <dd>
                  {cause} <strong>What to do:</strong> {remedy}
                </dd>
              </div>
            ))}
          </dl>
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
