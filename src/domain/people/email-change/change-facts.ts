import { z } from 'zod'
import { id } from '../../operation/fields.ts'

/** The row of `email_changes` that a mail is about. */
export const changeFacts = z.strictObject({ change: id })
