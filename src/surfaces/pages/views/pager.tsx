import type { ComponentChildren } from 'preact'
import { Arrow } from '../../../foundation/html/components.tsx'

/** What the next page holds; `More` of what has no date on the page. */
export type NextPage = 'Older' | 'Later' | 'More'

/** Below a list: the way to its first page and to the next one. */
export function Pager(props: {
  first: string
  isFirst: boolean
  next: string | undefined
  label: NextPage
  /** Said on the pages after the first one. */
  children: ComponentChildren
}) {
  const { first, isFirst, next } = props
  if (next === undefined && isFirst) return null
  return (
    <nav class="pager" aria-label="Pages">
      {!isFirst && <p>{props.children}</p>}
      <p class="actions">
        {!isFirst && <a href={first}>First page</a>}
        {next !== undefined && (
          <a href={next} rel="next">
            {props.label}
            <Arrow to="next" />
          </a>
        )}
      </p>
    </nav>
  )
}
