// The process of the AWS front; `lab up aws` starts it. Arguments: own address, own port, ministack's address, port, Region.
import { awsFront } from './aws-front.ts';

const [address, port, host, behindPort, region = ''] = process.argv.slice(2);
const complain = (message: string) => void process.stderr.write(`${message}\n`);
const { server } = awsFront({ region, behind: { host: host ?? '', port: Number(behindPort) }, complain });
server.listen(Number(port), address);
process.on('SIGTERM', () => process.exit(0));
