import type { SealedColumn } from '../../foundation/crypto/sealed-column.ts'
import { SEALED_AUTHENTICATORS } from '../people/factors/authenticators.ts'
import { SEALED_SIGNING_KEYS } from '../schools/signing.ts'

/**
 * Everything in the database that only the secret of the installation opens, besides the check of the secret itself. A
 * rotation of the secret seals it again; `test/rules/sealed-columns.test.ts` finds what is missing here.
 */
export const SEALED_COLUMNS: readonly SealedColumn[] = [SEALED_AUTHENTICATORS, SEALED_SIGNING_KEYS]
