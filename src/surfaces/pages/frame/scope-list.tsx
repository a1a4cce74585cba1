import { MOST_COUNTED, type VisibleCount } from '../../../domain/catalogue/scope-counts.ts'
import {
  findScope,
  isChange,
  meaningOf,
  SCOPES,
  type ScopeEntry,
} from '../../../domain/clients/scope-catalogue.ts'
import type { SchoolVariant } from '../../../domain/schools/school.ts'

const personIcon = 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM4.5 20a7.5 7.5 0 0 1 15 0'
const eyeIcon =
  'M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12ZM12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6Z'
const pencilIcon =
  'M4 20l1-4.5L16.5 4a2.1 2.1 0 0 1 3 0l.5.5a2.1 2.1 0 0 1 0 3L8.5 19 4 20ZM14 6.5l3.5 3.5'

interface ScopeListProps {
  scopes: readonly string[]
  variant: SchoolVariant
  /** What an app would see with each scope now, where the page asks for consent. */
  counts?: ReadonlyMap<string, readonly VisibleCount[]>
}

interface Line {
  text: string
  note?: string | undefined
}

export function ScopeList({ scopes, variant, counts }: ScopeListProps) {
  const lines = (wanted: (scope: ScopeEntry) => boolean): Line[] =>
    SCOPES.filter((scope) => scopes.includes(scope.name) && wanted(scope)).map((scope) => ({
      text: meaningOf(scope, variant),
      note: countsIn(counts?.get(scope.name)),
    }))
  const change = [
    ...lines(({ name }) => isChange(name)),
    ...scopes.filter((name) => findScope(name) === undefined).map((text) => ({ text })),
  ]
  return (
    <div class="scopes">
      <Group
        icon={personIcon}
        title="Who you are"
        lines={lines(({ audience }) => audience === 'identity')}
      />
      <Group
        icon={eyeIcon}
        title="What it can see"
        lines={lines(({ name, audience }) => audience !== 'identity' && !isChange(name))}
      />
      <Group icon={pencilIcon} title="What it can change" lines={change} />
      {change.length === 0 && <p class="scopes-note">It cannot change anything.</p>}
    </div>
  )
}

/** "3 courses, 12 payments". */
function countsIn(counts: readonly VisibleCount[] | undefined): string | undefined {
  if (counts === undefined) return undefined
  const some = counts.filter(({ count }) => count > 0)
  if (some.length === 0) return `no ${counts.map(({ many }) => many)[0]} yet`
  return some
    .map(({ one, many, count }) => {
      if (count > MOST_COUNTED) return `more than ${MOST_COUNTED} ${many}`
      return `${count} ${count === 1 ? one : many}`
    })
    .join(', ')
}

function Group({ icon, title, lines }: { icon: string; title: string; lines: Line[] }) {
  if (lines.length === 0) return null
  return (
    <section class="scope-group">
      <svg viewBox="0 0 24 24" width={20} height={20} aria-hidden="true">
        <path d={icon} />
      </svg>
      <h2>{title}</h2>
      <ul>
        {lines.map(({ text, note }) => (
          <li>
            {text}
            {note !== undefined && <span class="scope-count">{note}</span>}
          </li>
        ))}
      </ul>
    </section>
  )
}
