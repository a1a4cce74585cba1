// biome-ignore-all lint/a11y/noRedundantRoles: the narrow layout would take the roles away.

import type { ComponentChildren } from 'preact'
import { MOST_SHOWN } from '../../../../domain/operation/list-page.ts'
import { Address, Arrow, Name } from '../../../../foundation/html/components.tsx'
import { Moment } from '../../../../foundation/html/moment.tsx'
import { Badge, type Tone } from '../../../../foundation/html/site-components.tsx'
import { plainText } from '../../../../foundation/text/plain-text.ts'
import { capitalized, formatMoney, upTo } from '../../frame/words.ts'
import type { Place } from '../frame/operator.ts'
import type { Column } from './list-plan.ts'
import type { Show } from './row.ts'

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
 * A table on wide screens, and on narrow ones a card for each row. The roles are spelled out
 * because browsers drop the roles of a table that has another layout.
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

/** Ways to show a member of an object, for the columns of lists and the facts of pages. */

type With<K extends string, V> = { readonly [P in K]: V }
type Named<N extends string> = With<N, string> & { readonly id: string }

/** Text of a person, on one line. */
export function text<K extends string>(member: K, limit = 300): Show<With<K, string | null>> {
  return (object) => {
    const shown = plainText(object[member] ?? '', limit)
    return shown === '' ? undefined : <bdi class="name">{shown}</bdi>
  }
}

/** Text to copy letter by letter: a code, a slug, an address. */
export function address<K extends string>(member: K): Show<With<K, string | null>> {
  return (object) => (object[member] ? <Address text={object[member]} /> : undefined)
}

/** Marks what shows an amount or a number. */
export function figure<T>(show: Show<T>): Show<T> {
  return Object.assign((object: T, place: Place) => show(object, place), { isFigure: true })
}

export function number<K extends string>(member: K): Show<With<K, number | null>> {
  return figure((object) => object[member]?.toLocaleString('en'))
}

/** A number that was counted no further than one more than `most`. */
export function cappedNumber<K extends string>(
  member: K,
  most = MOST_SHOWN,
): Show<With<K, number>> {
  return figure((object) => upTo(most, object[member]))
}

export function money<K extends string>(
  member: K,
): Show<With<K, number | null> & { readonly currency: string | null }> {
  return figure((object, place) => amountIn(object[member], object.currency, place))
}

export function amountIn(amount: number | null, currency: string | null, place: Place) {
  return amount === null ? undefined : formatMoney(amount, currency ?? place.currency)
}

export function moment<K extends string>(member: K): Show<With<K, string | null>> {
  return (object, place) => momentOf(object[member], place)
}

export function momentOf(at: string | null, { timeZone }: Place): ComponentChildren {
  return at === null ? undefined : <Moment at={new Date(at)} timeZone={timeZone} />
}

const TONES: Readonly<Record<string, Tone>> = {
  published: 'good',
  active: 'good',
  completed: 'good',
  attended: 'good',
  open: 'good',
  paid: 'good',
  scheduled: 'good',
  offered: 'good',
  available: 'good',
  done: 'good',
  draft: 'waiting',
  pending: 'waiting',
  waiting: 'waiting',
  running: 'waiting',
  registered: 'waiting',
  paused: 'warning',
  past_due: 'warning',
  partially_refunded: 'returned',
  refunded: 'returned',
  failed: 'bad',
  revoked: 'bad',
  canceled: 'over',
  cancelled: 'over',
  expired: 'over',
  ended: 'over',
  closed: 'over',
  archived: 'over',
}

/** A state as a badge; `tones` changes the usual tone of some states. */
export function state<K extends string>(
  member: K,
  tones: Readonly<Record<string, Tone>> = {},
): Show<With<K, string>> {
  return (object) => {
    const value = object[member]
    return <Badge tone={tones[value] ?? TONES[value] ?? 'plain'}>{inWords(value)}</Badge>
  }
}

/** A related object, as a link to its page. */
export function related<K extends string, N extends string>(
  member: K,
  path: string,
  name: N,
  fallback = 'Deleted',
): Show<With<K, Named<N> | null>> {
  return (object) => {
    const part = object[member]
    if (part === null) return fallback
    return (
      <a href={`/admin/${path}/${part.id}`}>
        <Name text={part[name]} fallback="Unnamed" />
      </a>
    )
  }
}

/** The name of a related object, in a cell that already is a link. */
export function nameOf<K extends string, N extends string>(
  member: K,
  name: N,
  fallback: string,
): Show<With<K, With<N, string> | null>> {
  return (object) => <Name text={object[member]?.[name] ?? ''} fallback={fallback} />
}

/** A related person, with the email that tells people of the same name apart. */
export function person<K extends string>(
  member: K,
  path: string,
): Show<With<K, (Named<'name'> & { readonly email: string }) | null>> {
  const link = related(member, path, 'name', FORMER_MEMBER)
  return (object, place) => {
    const email = object[member]?.email ?? ''
    return (
      <>
        {link(object, place)}
        {email !== '' && <span class="email">{plainText(email, 320)}</span>}
      </>
    )
  }
}

/** Stands for a person who has no role at the school any more. */
export const FORMER_MEMBER = 'Former member'

/**
 * `past_due` as people write it: "Past due". Pages spell "canceled" one way, values on the wire
 * two.
 */
export function inWords(value: string): string {
  return capitalized(value.replaceAll('_', ' ').replace('cancelled', 'canceled'))
}

/** "an event", "a course". */
export function withArticle(noun: string): string {
  return `${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}`
}
