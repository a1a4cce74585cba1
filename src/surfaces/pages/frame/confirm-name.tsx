import { Field } from '../../../foundation/html/form-fields.tsx'
import { plainText } from '../../../foundation/text/plain-text.ts'

const FIELD = 'confirm_name'

/** Whether the form of a dangerous act has the name of what it is about, in any case. */
export function isNameTyped(form: URLSearchParams, name: string): boolean {
  return comparable(form.get(FIELD) ?? '') === comparable(name)
}

function comparable(name: string): string {
  return plainText(name).toLowerCase()
}

/** Asks for the name, so that nothing large is lost by a click on the wrong page. */
export function ConfirmName(props: {
  /** Of what the act is about; with several, how many they are. */
  name: string
  kind?: 'name' | 'number'
  isWrong: boolean
  /** What did not happen, for the error. */
  nothing?: string
}) {
  const { name, kind = 'name', isWrong, nothing = 'Nothing was deleted.' } = props
  if (plainText(name) === '') return null
  return (
    <Field
      name={FIELD}
      label={kind === 'name' ? 'Type the name to confirm' : 'Type how many they are to confirm'}
      type="text"
      autocomplete="off"
      hint={plainText(name)}
      error={isWrong ? `This is another ${kind}. ${nothing}` : undefined}
    />
  )
}
