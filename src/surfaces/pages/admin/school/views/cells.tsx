import type { ComponentChildren } from 'preact'
import { Address, Name } from '../../../../../foundation/html/components.tsx'
import { Moment } from '../../../../../foundation/html/moment.tsx'
import { plainText } from '../../../../../foundation/html/plain-text.ts'
import { Badge } from '../../../../../foundation/html/site-components.tsx'
import { formatMoney } from '../../../views/money.ts'
import { type Place, partOf, type Row, type Show, textOf } from '../resource.ts'
import { inWords } from './words.ts'

/** Ways to show a member of an object, for the tables of columns and facts. */

/** Text that somebody wrote, on one line. */
export function text(member: string, limit = 300): Show {
  return (object) => {
    const shown = plainText(textOf(object, member), limit)
    return shown === '' ? undefined : <bdi class="name">{shown}</bdi>
  }
}

/** Something to copy letter by letter: a code, a slug, an address. */
export function address(member: string): Show {
  return (object) =>
    textOf(object, member) === '' ? undefined : <Address text={textOf(object, member)} />
}

export function number(member: string): Show {
  return (object) =>
    typeof object[member] === 'number' ? object[member].toLocaleString('en') : undefined
}

export function money(member: string, currency = 'currency'): Show {
  return (object, place) =>
    typeof object[member] === 'number'
      ? formatMoney(object[member], textOf(object, currency) || place.currency)
      : undefined
}

export function moment(member: string): Show {
  return (object, place) => momentOf(object, member, place)
}

export function momentOf(object: Row, member: string, { timeZone }: Place): ComponentChildren {
  const at = textOf(object, member)
  return at === '' ? undefined : <Moment at={new Date(at)} timeZone={timeZone} />
}

type Tone = 'plain' | 'good' | 'warning'

const TONES: Readonly<Record<string, Tone>> = {
  published: 'good',
  active: 'good',
  completed: 'good',
  attended: 'good',
  open: 'good',
  paid: 'good',
  scheduled: 'good',
  offered: 'good',
  paused: 'warning',
  past_due: 'warning',
  canceled: 'warning',
  revoked: 'warning',
  expired: 'warning',
  failed: 'warning',
  refunded: 'warning',
}

export function state(member = 'state', tones: Readonly<Record<string, Tone>> = {}): Show {
  return (object) => {
    const value = textOf(object, member)
    return value === '' ? undefined : (
      <Badge tone={tones[value] ?? TONES[value] ?? 'plain'}>{inWords(value)}</Badge>
    )
  }
}

/** A related object that was put in, as the way to its page. */
export function related(member: string, path: string, name: string, fallback = 'Gone'): Show {
  return (object) => {
    const part = partOf(object, member)
    if (part === undefined) return fallback
    return (
      <a href={`/admin/${path}/${textOf(part, 'id')}`}>
        <Name text={textOf(part, name)} fallback="Unnamed" />
      </a>
    )
  }
}

/** The name of a related object that was put in, where the cell leads elsewhere. */
export function nameOf(member: string, name: string, fallback: string): Show {
  return (object) => <Name text={textOf(partOf(object, member) ?? {}, name)} fallback={fallback} />
}

/** A person that was put in, with what tells them from others of the same name. */
export function person(member: string, path: string): Show {
  const link = related(member, path, 'name', 'Somebody who left')
  return (object, place) => {
    const email = textOf(partOf(object, member) ?? {}, 'email')
    return (
      <>
        {link(object, place)}
        {email !== '' && <span class="email">{plainText(email, 320)}</span>}
      </>
    )
  }
}
