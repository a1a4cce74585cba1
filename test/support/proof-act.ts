import { randomBytes } from 'node:crypto'
import type { Visitor } from './browser-like.ts'
import type { TestPerson, TestSchool, World } from './world.ts'

/** An owner in the admin area, with a fresh proof. */
export interface ProvenOwner {
  readonly world: World
  readonly school: TestSchool
  readonly person: TestPerson
  readonly visitor: Visitor
}

export type Typed = [name: string, value: string][]

/** A form that a page shows, and what is typed into it. */
export interface Form {
  readonly page: string
  readonly action: string
  readonly fields?: Typed
}

export interface ProofAct {
  /** Undefined for what is no operation of a school, such as ending sessions. */
  readonly operation: string | undefined
  /** Makes what the form needs. */
  prepare(owner: ProvenOwner): Promise<Form>
}

export const here = (path: string, fields: Typed = []): Form => ({
  page: path,
  action: path,
  fields,
})

/** Part of a name that is not used yet. */
export const fresh = () => `x${randomBytes(5).toString('hex')}`
