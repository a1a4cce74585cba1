import type { ComponentChildren } from 'preact'
import { MOST_SHOWN } from '../../../../../domain/operation/list-page.ts'
import { Address, Name } from '../../../../../foundation/html/components.tsx'
import { Moment } from '../../../../../foundation/html/moment.tsx'
import { plainText } from '../../../../../foundation/html/plain-text.ts'
import { Badge, type Tone } from '../../../../../foundation/html/site-components.tsx'
import { formatMoney } from '../../../views/money.ts'
import { upTo } from '../../../views/words.ts'
import type { Place, Show } from '../row.ts'
import { inWords } from './words.ts'

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
