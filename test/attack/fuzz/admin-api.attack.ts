import { sendStrangeInput } from '../../flows/admin-api/strange-input.ts'

sendStrangeInput(1)
