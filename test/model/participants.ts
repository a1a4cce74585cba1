import { setRoles } from '../../src/domain/people/membership.ts'
import { Visitor } from '../support/browser-like.ts'
import type { TestClient, TestPerson, TestSchool, World } from '../support/world.ts'
import { at } from './reference-model.ts'

export type ClientKind = 'public' | 'confidential' | 'tool'

export interface RealClient {
  readonly school: TestSchool
  readonly kind: ClientKind
  readonly real: TestClient
}

interface Participant {
  person: TestPerson
  readonly school: TestSchool
  visitor: Visitor
}

/**
 * Two schools, their members and clients. They outlive a story, because sign-in is slow on purpose.
 */
export class Participants {
  readonly world: World
  readonly schools: readonly [TestSchool, TestSchool]
  readonly members: readonly Participant[]
  readonly #deleted = new Set<TestPerson>()
  readonly #changedRoles = new Set<Participant>()
  readonly #clients: (RealClient | undefined)[] = []

  private constructor(
    world: World,
    schools: readonly [TestSchool, TestSchool],
    members: readonly Participant[],
  ) {
    this.world = world
    this.schools = schools
    this.members = members
  }

  static async gather(world: World): Promise<Participants> {
    const schools = [await world.aSchool(), await world.aSchool({ variant: 'older' })] as const
    const [first, second] = schools
    for (const school of schools) await world.aMember(school, ['owner'])
    const [ada, ben, cleo] = [await world.aPerson(), await world.aPerson(), await world.aPerson()]
    const member = (person: TestPerson, school: TestSchool): Participant => ({
      person,
      school,
      visitor: new Visitor(world, school),
    })
    const members = [
      member(ada, first),
      member(ben, first),
      member(ada, second),
      member(cleo, second),
    ]
    const participants = new Participants(world, schools, members)
    for (const each of members) participants.#changedRoles.add(each)
    return participants
  }

  /** Before a story: everyone is an admin, and a new person stands in for one who was deleted. */
  async begin(): Promise<void> {
    for (const gone of this.#deleted) {
      const person = await this.world.aPerson()
      for (const member of this.members.filter((each) => each.person === gone)) {
        member.person = person
        member.visitor = new Visitor(this.world, member.school)
        this.#changedRoles.add(member)
      }
    }
    this.#deleted.clear()
    for (const { person, school } of this.#changedRoles) {
      await setRoles(school.db, person.id, ['admin'])
    }
    this.#changedRoles.clear()
  }

  /** The client that an earlier story had at this place, unless it has changed it. */
  async client(place: number, make: () => Promise<RealClient>): Promise<RealClient> {
    this.#clients[place] ??= await make()
    return this.#clients[place]
  }

  /** The next story gets another one. */
  forgetClient(place: number): void {
    this.#clients[place] = undefined
  }

  /** The rows of a client grow with the stories, and with them the time to read them. */
  forgetClients(): void {
    this.#clients.length = 0
  }

  markRoleChanged(member: number): void {
    this.#changedRoles.add(at(this.members, member))
  }

  isDeleted(member: number): boolean {
    return this.#deleted.has(at(this.members, member).person)
  }

  markDeleted(member: number): void {
    this.#deleted.add(at(this.members, member).person)
  }
}
