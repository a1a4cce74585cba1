import type { JSX } from 'preact'
import { CURRENCY_NAMES } from '../../../../../foundation/text/currency.ts'
import { DURATION_PARTS, durationParts } from '../form/duration.ts'

type CurrencyChoiceProps = JSX.SelectHTMLAttributes<HTMLSelectElement> & {
  chosen: string
  own: string | undefined
  /** Then the currency of the school is meant. */
  mayBeEmpty: boolean
}

/** The currencies in use, the school's own first. */
export function CurrencyChoice({ chosen, own, mayBeEmpty, ...input }: CurrencyChoiceProps) {
  const known = CURRENCY_NAMES.some(([code]) => code === chosen)
  return (
    <select {...input}>
      {(mayBeEmpty || chosen === '') && (
        <option value="" selected={chosen === ''}>
          {mayBeEmpty ? `The school’s own${own === undefined ? '' : `, ${own}`}` : 'Choose one'}
        </option>
      )}
      {chosen !== '' && !known && (
        <option value={chosen} selected>
          {chosen}
        </option>
      )}
      {CURRENCY_NAMES.map(([code, name]) => (
        <option value={code} selected={code === chosen}>
          {`${code}, ${name}`}
        </option>
      ))}
    </select>
  )
}

const PART_LABELS = { hours: 'Hours', minutes: 'Minutes', seconds: 'Seconds' } as const

/** Hours, minutes and seconds. */
export function DurationInputs({ name, text }: { name: string; text: string }) {
  const parts = durationParts(text)
  return (
    <div class="duration-parts">
      {DURATION_PARTS.map((part, place) => (
        <div class="field">
          <label for={`${name}-${part}`}>{PART_LABELS[part]}</label>
          <input
            id={`${name}-${part}`}
            name={`${name}-${part}`}
            type="text"
            inputMode="numeric"
            dir="ltr"
            autocomplete="off"
            maxLength={9}
            value={parts[place]}
          />
        </div>
      ))}
    </div>
  )
}
