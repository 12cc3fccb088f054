#!/usr/bin/env node
// Compiled code is kept between runs, which saves a sixth of a short one. In the home folder that belongs to the user by
// the password file, not by HOME: under sudo that variable may still name a folder that somebody else can write to.
const { userInfo } = require('node:os');
const { enableCompileCache } = require('node:module');

enableCompileCache(`${userInfo().homedir}/.cache/cluster-cli`);
require('../dist/cluster-cli.cjs');
