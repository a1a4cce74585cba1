// biome-ignore-all lint/a11y/noRedundantRoles: the narrow layout would take the roles away.

import type { ComponentChildren } from 'preact'
import { Arrow } from '../../../../../foundation/html/components.tsx'
import type { Column } from '../list-plan.ts'
import type { Place } from '../row.ts'

interface ObjectTableProps<T> {
  readonly caption: string
  readonly columns: readonly Column<T>[]
  readonly rows: readonly T[]
  readonly place: Place
  /** The address that the first cell of a row links to. */
  readonly urlOf?: (row: T) => string
  /** Makes each heading a link that sorts by its column. */
  readonly sorting?: Sorting
  /** Gives each row a box to tick. */
  readonly ticking?: Ticking<T> | undefined
}

export interface Ticking<T> {
  /** The id of the form that the boxes belong to. */
  readonly form: string
  readonly idOf: (row: T) => string
  readonly nameOf: (row: T) => string
}

export interface Sorting {
  /** `title` or `-title`. */
  readonly current: string
  /** The address of the same list in another order; undefined if the list has no such sort. */
  readonly urlOf: (sort: string) => string | undefined
}

/**
 * A table on wide screens, and on narrow ones a card for each row. The roles are spelled out because
 * browsers drop the roles of a table that has another layout.
 */
export function ObjectTable<T>(props: ObjectTableProps<T>) {
  const { caption, columns, rows, place, urlOf, sorting, ticking } = props
  return (
    <table class="objects" role="table">
      <caption class="visually-hidden">{caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          {ticking !== undefined && (
            <th role="columnheader" scope="col" class="tick">
              <span class="visually-hidden">Select</span>
            </th>
          )}
          {columns.map((column) => (
            <Heading
              label={column.label}
              sort={column.sort}
              isFigure={column.show.isFigure === true}
              sorting={sorting}
            />
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row) => (
          <tr role="row">
            {ticking !== undefined && (
              <td role="cell" class="tick">
                <input
                  type="checkbox"
                  name="id"
                  value={ticking.idOf(row)}
                  form={ticking.form}
                  aria-label={`Select ${ticking.nameOf(row)}`}
                />
              </td>
            )}
            {columns.map((column, index) => (
              <Cell
                label={column.label}
                shown={column.show(row, place)}
                url={index === 0 ? urlOf?.(row) : undefined}
                heads={index === 0}
                isFigure={column.show.isFigure === true}
              />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Cell(props: {
  label: string
  shown: ComponentChildren
  url: string | undefined
  heads: boolean
  isFigure: boolean
}) {
  const { label, shown, url, heads, isFigure } = props
  const isEmpty = shown === undefined || shown === null || shown === '' || shown === false
  if (heads) {
    return (
      <th role="rowheader" scope="row">
        {url === undefined ? (
          shown
        ) : (
          <a class="row-link" href={url}>
            {isEmpty ? 'Unnamed' : shown}
          </a>
        )}
      </th>
    )
  }
  return (
    <td role="cell" data-label={label} class={classOf(isEmpty, isFigure)}>
      {isEmpty ? <span aria-hidden="true">–</span> : shown}
    </td>
  )
}

function classOf(isEmpty: boolean, isFigure: boolean): string | undefined {
  if (isFigure) return isEmpty ? 'figures-cell nothing' : 'figures-cell'
  return isEmpty ? 'nothing' : undefined
}

function Heading(props: {
  label: string
  sort: string | undefined
  isFigure: boolean
  sorting: Sorting | undefined
}) {
  const { label, sort, sorting } = props
  const look = classOf(false, props.isFigure)
  if (sort === undefined || sorting === undefined) {
    return (
      <th role="columnheader" scope="col" class={look}>
        {label}
      </th>
    )
  }
  const direction = directionOf(sort, sorting.current)
  const url = direction === 'ascending' ? sorting.urlOf(`-${sort}`) : sorting.urlOf(sort)
  const target = url ?? sorting.urlOf(sort) ?? sorting.urlOf(`-${sort}`)
  return (
    <th role="columnheader" scope="col" class={look} aria-sort={direction}>
      {target === undefined ? (
        label
      ) : (
        <a href={target}>
          {label}
          {direction !== undefined && <Arrow to={direction === 'ascending' ? 'up' : 'down'} />}
        </a>
      )}
    </th>
  )
}

function directionOf(column: string, current: string): 'ascending' | 'descending' | undefined {
  if (current === column) return 'ascending'
  return current === `-${column}` ? 'descending' : undefined
}
