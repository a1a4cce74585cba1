import type { SharedPasskeys } from '../domain/people/passkeys/verify.ts'
import type { SchoolDirectory } from '../domain/schools/school-directory.ts'
import type { Keyring } from '../foundation/crypto/seal.ts'
import type { Db } from '../foundation/db/database.ts'
import type { Mailer } from '../foundation/mail/mailer.ts'
import type { FileStore } from '../foundation/storage/file-store.ts'

/** What surfaces need. Passed as an argument, not attached to the server instance. */
export interface AppContext {
  readonly db: Db
  readonly directory: SchoolDirectory
  readonly keyring: Keyring
  /** True only in the demo world: client metadata documents may come over http from loopback. */
  readonly loopbackDocuments: boolean
  /** Hosts whose client metadata documents resolve at every school. */
  readonly documentHosts: readonly string[]
  /**
   * Absent if no mail server is configured; a member with a forgotten password then has to ask the
   * school.
   */
  readonly mailer?: Mailer | undefined
  /** Absent if uploads are not possible. */
  readonly files?: FileStore | undefined
  /** Absent unless passkeys belong to a domain of several schools. */
  readonly passkeys?: SharedPasskeys | undefined
  /** Where to report a vulnerability, as a URI; absent if none is configured. */
  readonly securityContact?: string | undefined
  readonly limits: {
    readonly tokenPerSecond: number
    readonly registrationPerMinute: number
    readonly documentPerMinute: number
    readonly toolCallsPerMinute: number
    readonly apiCallsPerMinute: number
    readonly uploadBytes: number
    readonly formBodyBytes: number
    readonly jsonBodyBytes: number
    readonly graphqlDepth: number
    readonly graphqlCost: number
    readonly memberCostPerMinute: number
    /** Of one school. */
    readonly newsMailsPerDay: number
  }
}
