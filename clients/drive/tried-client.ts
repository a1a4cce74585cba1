import type { Application } from '../recipes/application.ts'
import type { DemoPlace } from './demo-place.ts'

/** A client with the settings of its recipe, ready to be used by a person. */
export interface TriedClient {
  signIn(): Promise<void>
  /** What the school answers to the signed-in client; contains the person's name. */
  me(): Promise<string>
  /** Only if the client does not refresh by itself. */
  refresh?(): Promise<void>
  signOut(): Promise<void>
  close?(): Promise<void> | void
}

export type Step = 'logsIn' | 'refreshes' | 'lostAnswer' | 'signsOut'
export type Findings = Readonly<Record<Step, string>>

export interface Trial {
  /** Also the name of the recipe, without its ending. */
  readonly name: string
  /** The npm or Debian package whose version is written down; or Node itself. */
  readonly package: string | { readonly debian: string } | { readonly node: true }
  readonly application?: {
    readonly isPublic?: boolean
    /** Below the origin of the app, `/callback` unless told otherwise. */
    readonly callback?: string
    /** Where the school sends the browser after a sign-out. */
    readonly afterSignOut?: string
  }
  /**
   * When the client refreshes by itself: after `expires_in`, which is then shown as this many
   * seconds, or after the server refused its access token.
   */
  readonly refreshesAfter?: number | 'refusal'
  /** What the table says where a step succeeded: always how it signs out. */
  readonly words: Partial<Findings> & Pick<Findings, 'signsOut'>
  /** What it cannot do, with the address of the thread about it. */
  readonly cannot?: Partial<Findings>
  start(place: DemoPlace, app: Application): Promise<TriedClient> | TriedClient
}
