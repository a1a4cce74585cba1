import type { JSX } from 'preact'
import {
  Checkbox,
  describedBy,
  Hint,
  Labelled,
  Problems,
  toldOf,
} from '../../../../foundation/html/form-fields.tsx'
import { placeOf } from '../../../../foundation/html/moment.tsx'
import { CURRENCY_NAMES } from '../../../../foundation/text/currency.ts'
import { plainText } from '../../../../foundation/text/plain-text.ts'
import type { Choice } from './field.ts'
import type { PlannedField } from './field-rules.ts'
import { DURATION_PARTS, durationParts } from './read-form.ts'

/** A field of a form with its text and its problems. */
export interface ShownField {
  readonly field: PlannedField
  readonly typed: readonly string[]
  readonly problems: readonly string[]
  readonly choices: readonly Choice[]
  /** The text that the choices were found by; absent if they are all there are. */
  readonly findText?: string | undefined
}

interface FormFieldProps {
  shown: ShownField
  timeZone: string
  /** The school's own, which the choice of a currency offers first. */
  currency?: string | undefined
}

export function FormField({ shown, timeZone, currency }: FormFieldProps) {
  const { field, typed, choices, problems } = shown
  const { name, kind, rule } = field
  const first = typed[0] ?? ''
  if (kind === 'check') {
    return (
      <Checkbox
        id={name}
        name={name}
        value="on"
        label={field.label}
        hint={field.hint}
        checked={typed.includes('on')}
      />
    )
  }
  if (kind === 'choices') return <Choices shown={shown} />
  if (kind === 'scopes') return <Scopes shown={shown} />
  if (kind === 'duration') return <Duration shown={shown} />
  const box = boxOf(shown, timeZone)
  if (kind === 'text' || kind === 'markdown' || kind === 'lines') {
    const rows = field.rows ?? (kind === 'markdown' ? 14 : 3)
    return (
      <Labelled {...box}>
        <textarea
          {...box.input}
          rows={rows}
          maxLength={rule.maxLength}
          class={kind === 'markdown' ? kind : 'text'}
          dir="auto"
        >
          {/* A browser drops the first line break of a text area. */}
          {`\n${first}`}
        </textarea>
      </Labelled>
    )
  }
  if (kind === 'currency') {
    return (
      <Labelled {...box}>
        <CurrencyChoice chosen={first} own={currency} mayBeEmpty={rule.mayBeEmpty} {...box.input} />
      </Labelled>
    )
  }
  if (kind === 'choice') {
    const known = first === '' || choices.some(([value]) => value === first)
    // The current value stays a choice, even if it is no longer offered.
    const offered: readonly Choice[] = known ? choices : [[first, first], ...choices]
    return (
      <Labelled {...box}>
        <select {...box.input}>
          {(first === '' || rule.nullable) && (
            <option value="" selected={first === ''}>
              {rule.nullable ? 'None' : 'Choose one'}
            </option>
          )}
          {offered.map(([value, label]) => (
            <option value={value} selected={value === first}>
              {plainText(label)}
            </option>
          ))}
        </select>
        <Finder shown={shown} />
      </Labelled>
    )
  }
  return (
    <Labelled {...box}>
      <input
        {...box.input}
        {...INPUTS[kind]}
        class={problems.length > 0 ? `${kind} wrong` : kind}
        value={first}
        maxLength={kind === 'line' ? rule.maxLength : undefined}
        list={field.suggestions && `${name}-suggestions`}
      />
      {field.suggestions && (
        <datalist id={`${name}-suggestions`}>
          {field.suggestions.map((suggestion) => (
            <option value={suggestion} />
          ))}
        </datalist>
      )}
    </Labelled>
  )
}

const INPUTS = {
  line: { type: 'text', dir: 'auto' },
  email: { type: 'email', dir: 'ltr', autocapitalize: 'none', spellcheck: false },
  number: { type: 'text', inputMode: 'numeric', dir: 'ltr' },
  money: { type: 'text', inputMode: 'decimal', dir: 'ltr' },
  time: { type: 'datetime-local', dir: 'ltr' },
  date: { type: 'date', dir: 'ltr' },
  list: { type: 'text', dir: 'ltr', autocapitalize: 'none', spellcheck: false },
  color: { type: 'color' },
} as const

function boxOf({ field, problems }: ShownField, timeZone: string) {
  const { name, label } = field
  const hint =
    field.kind === 'time'
      ? [field.hint, `${placeOf(timeZone)} time.`].filter(Boolean).join(' ')
      : field.hint
  const isOptional =
    (field.rule.mayBeEmpty || field.rule.suggested) &&
    field.needed !== true &&
    !ALWAYS_CHOSEN.has(field.kind)
  return {
    id: name,
    label: isOptional ? (
      <>
        {label}
        <span class="optional"> (optional)</span>
      </>
    ) : (
      label
    ),
    hint,
    problems,
    input: { id: name, name, autocomplete: 'off', ...toldOf(name, { hint, problems }) },
  }
}

/** A list to choose from shows by itself whether nothing may be chosen. */
const ALWAYS_CHOSEN: ReadonlySet<PlannedField['kind']> = new Set(['choice', 'currency'])

function Choices({ shown }: { shown: ShownField }) {
  const { field, typed, problems, choices, findText } = shown
  const { name, label, hint } = field
  // Chosen values come first and keep their order, because the form sends them in this order.
  const isOrdered = field.choices !== undefined && !Array.isArray(field.choices)
  const chosen = typed
    .map((value) => choices.find((choice) => choice[0] === value))
    .filter((choice) => choice !== undefined)
  const others = choices.filter(([value]) => !typed.includes(value))
  const inOrder = isOrdered ? [...chosen, ...others] : choices
  return (
    <fieldset id={name} class="choices" aria-describedby={describedBy(name, { hint, problems })}>
      <legend>{label}</legend>
      <Hint of={name} text={hint} />
      <Problems of={name} problems={problems} />
      {choices.length === 0 ? (
        <p class="field-hint">
          {findText ? 'Nothing has this in its name.' : 'There is nothing to choose from yet.'}
        </p>
      ) : (
        <div class="choices-list">
          {inOrder.map(([value, words]) => (
            <Checkbox
              id={`${name}-${value}`}
              name={name}
              value={value}
              label={plainText(words)}
              checked={typed.includes(value)}
            />
          ))}
        </div>
      )}
      <Finder shown={shown} />
    </fieldset>
  )
}

/** The scopes under each heading in a box of their own. */
function Scopes({ shown: { field, typed, problems, choices } }: { shown: ShownField }) {
  const { name, label, hint, headingOf = () => label } = field
  const headings = [...new Set(choices.map(([scope]) => headingOf(scope)))]
  return (
    <>
      <Problems of={name} problems={problems} />
      {headings.map((heading, place) => (
        <fieldset
          id={place === 0 ? name : undefined}
          class={headings.length > 1 ? 'check-columns' : undefined}
          aria-describedby={describedBy(name, { hint: place === 0 ? hint : undefined, problems })}
        >
          <legend>{heading}</legend>
          {place === 0 && <Hint of={name} text={hint} />}
          {choices
            .filter(([scope]) => headingOf(scope) === heading)
            .map(([scope, meaning]) => (
              <Checkbox
                id={`scope-${scope.replace(':', '-')}`}
                name={name}
                value={scope}
                label={<code>{scope}</code>}
                hint={meaning}
                checked={typed.includes(scope)}
              />
            ))}
        </fieldset>
      ))}
    </>
  )
}

function Duration({ shown: { field, typed, problems } }: { shown: ShownField }) {
  return (
    <fieldset id={field.name} aria-describedby={describedBy(field.name, { problems })}>
      <legend>{field.label}</legend>
      <Problems of={field.name} problems={problems} />
      <DurationInputs name={field.name} text={typed[0] ?? ''} />
    </fieldset>
  )
}

/**
 * Finds other choices by a part of their name. The page is sent and comes back with them; nothing
 * is saved.
 */
export function Finder({ shown: { field, findText } }: { shown: ShownField }) {
  if (findText === undefined) return null
  const { name, label } = field
  return (
    <div class="field choice-finder">
      <label for={`find-${name}`}>
        Find <span class="visually-hidden">in {label}: </span>others by name
      </label>
      <input
        id={`find-${name}`}
        type="search"
        name={`find-${name}`}
        value={findText}
        maxLength={100}
        dir="auto"
        autocomplete="off"
      />
      <input type="hidden" name={`found-${name}`} value={findText} />
      <button type="submit" name="find" value={name} class="button button-plain" formNoValidate>
        Find<span class="visually-hidden"> in {label}</span>
      </button>
    </div>
  )
}

/**
 * The first button of a form is the one that Enter presses: without this one, it would be Find. A
 * browser submits the text of Find too, which the server compares with the one before.
 */
export function DefaultButton({ fields }: { fields: readonly ShownField[] }) {
  if (fields.every(({ findText }) => findText === undefined)) return null
  return <button type="submit" class="visually-hidden" tabIndex={-1} aria-hidden="true" />
}

type CurrencyChoiceProps = JSX.SelectHTMLAttributes<HTMLSelectElement> & {
  chosen: string
  own: string | undefined
  /** Then the currency of the school is meant. */
  mayBeEmpty: boolean
}

/** The currencies in use, the school's own first. */
function CurrencyChoice({ chosen, own, mayBeEmpty, ...input }: CurrencyChoiceProps) {
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
function DurationInputs({ name, text }: { name: string; text: string }) {
  const parts = durationParts(text)
  return (
    <div class="duration-parts">
      {DURATION_PARTS.map((part, place) => (
        <Labelled id={`${name}-${part}`} label={PART_LABELS[part]}>
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
        </Labelled>
      ))}
    </div>
  )
}
